import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const TESTS = fileURLToPath(new URL('../', import.meta.url));
const ID = /\b(?:TS|PY)-\d{3}a?\b/g;

/** Files that mention ids without testing anything. */
const NOT_TESTS: ReadonlySet<string> = new Set([
  'requirements/registry.ts',
  'requirements/coverage.test.ts',
  'query/launch/launch-cases.test.ts',
]);

/** Rows from PY-338 on are of a newer release of the Python SDK: they are shown where both releases run. */
const OTHER_STAGES = /^(?:live\/|parity\/(?!python\/rows\/release))/;

/** The requirement ids that tables of cases and test titles cite. Comments, and what a case merely differs by, do not count. */
export function citedIds(): ReadonlySet<string> {
  const files = readdirSync(TESTS, { recursive: true, encoding: 'utf8' }).map((file) => file.replaceAll('\\', '/'));
  const cited = files
    .filter((file) => file.endsWith('.ts') && !OTHER_STAGES.test(file) && !NOT_TESTS.has(file))
    .flatMap((file) => idsIn(readFileSync(`${TESTS}${file}`, 'utf8')));
  return new Set(cited);
}

/** The ids in the code of one file. */
export function idsIn(source: string): readonly string[] {
  const code = source
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/^\s*\/\/.*$/gm, '')
    .replace(/\bdiffers:\s*'[^']*'/g, '');
  return code.match(ID) ?? [];
}
