import { readFileSync } from 'node:fs';
import { transform } from 'esbuild';
import { expect, test } from 'vitest';
import type { SessionStore } from '../../../src/index.js';
import { runSessionStoreContract } from '../../../src/testing/index.js';

test('the store that docs/session-stores.md shows keeps the contract (PY-321)', async () => {
  const page = readFileSync(new URL('../../../docs/session-stores.md', import.meta.url), 'utf8');
  const snippet = /^```ts\n([^`]*?class ListStore [\s\S]*?)^```$/m.exec(page)?.[1] ?? '';
  const { code } = await transform(snippet, { loader: 'ts' });
  const shown = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
    readonly ListStore: new () => SessionStore;
  };
  const report = await runSessionStoreContract(() => new shown.ListStore());
  expect(report.passed.length).toBeGreaterThan(20);
  expect(report.skipped.filter((name) => !name.includes('summar'))).toEqual([]);
});
