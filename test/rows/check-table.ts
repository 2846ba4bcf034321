import { describe, expect, test } from 'vitest';
import { alteredRows, checkRow, type SessionRow } from './session-row.js';
import { Stage } from './session-stage.js';

/**
 * One test a row: it is run once, must show what it says, and must not show anything a little different
 * from what it says.
 */
export function checkTables(tables: Readonly<Record<string, readonly SessionRow[]>>): void {
  describe.each(Object.entries(tables))('%s', (_table, rows) => {
    test.each(rows.map((row) => [`${[...new Set(row.ids)].join(', ')}: ${row.name}`, row] as const))(
      '%s',
      async (_title, row) => {
        const seen = await new Stage(row).observe();
        checkRow(row, seen);
        const altered = alteredRows(row);
        expect(altered.length, 'a row states something').toBeGreaterThan(0);
        for (const wrong of altered) {
          expect(() => checkRow(wrong, seen), JSON.stringify(wrong.expect)).toThrow();
        }
      },
    );
  });
}
