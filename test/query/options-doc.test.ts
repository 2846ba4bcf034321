import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

test('docs/reference/options.md has every code of a process warning, and no other', () => {
  const folder = join(root, 'src');
  const codes = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .flatMap((source) => [...source.matchAll(/code: '(CLAUDE_SDK_\w+)'/g)])
    .map(([, code]) => code);
  const page = readFileSync(join(root, 'docs/reference/options.md'), 'utf8');
  const rows = [...page.matchAll(/^\| `(CLAUDE_SDK_\w+)` \|/gm)].map(([, code]) => code);
  expect(rows.length).toBeGreaterThan(0);
  expect(rows.sort()).toEqual([...new Set(codes)].sort());
});
