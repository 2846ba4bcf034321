import { describe, expect, test } from 'vitest';
import { alteredCases, checkCase, type SessionCase } from './session-case.js';
import { Stage } from './session-stage.js';

/**
 * One test per case: it runs once, must show what it says, and must fail when any of that is changed a little.
 */
export function checkCases(tables: Readonly<Record<string, readonly SessionCase[]>>): void {
  describe.each(Object.entries(tables))('%s', (_table, cases) => {
    test.each(cases.map((row) => [`${row.name} (${[...new Set(row.ids)].join(', ')})`, row] as const))(
      '%s',
      async (_title, row) => {
        const seen = await new Stage(row).observe();
        checkCase(row, seen);
        const altered = alteredCases(row);
        expect(altered.length, 'a case states something').toBeGreaterThan(0);
        for (const wrong of altered) {
          expect(() => checkCase(wrong, seen), JSON.stringify(wrong.expect)).toThrow();
        }
      },
    );
  });
}
