import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Lines of the files that the demo asks about, counted as `wc -l` does. */
export interface FileCounts {
  readonly counts: readonly { readonly name: string; readonly lines: number }[];
  readonly total: number;
}

const WANTED = ['README.md', 'CHANGELOG.md', 'package.json'];
const SHOWN = 2;

/** Counts files that are there: of the working directory, else those of this package. */
export function countFiles(cwd: string, assets: string): FileCounts {
  const here = WANTED.filter((name) => existsSync(join(cwd, name))).slice(0, SHOWN);
  const [folder, names] =
    here.length > 0 ? [cwd, here] : [assets, ['player.mjs', 'recorder.mjs'] as const];
  const counts = names.map((name) => ({
    name,
    lines: readFileSync(join(folder, name), 'utf8').split('\n').length - 1,
  }));
  return { counts, total: counts.reduce((sum, { lines }) => sum + lines, 0) };
}

/** What `wc -l` prints. */
export function asWordCount({ counts, total }: FileCounts): string {
  const rows = counts.length > 1 ? [...counts, { name: 'total', lines: total }] : counts;
  const width = String(total).length;
  return rows.map(({ name, lines }) => `${String(lines).padStart(width)} ${name}`).join('\n');
}
