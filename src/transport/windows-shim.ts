import { win32 } from 'node:path';
import type { FileProbe } from './command-host.js';

/**
 * True when Windows would run the path through `cmd.exe`, in any spelling: it strips trailing dots
 * and spaces and ignores what follows a colon (an NTFS stream). Every component counts (PY-011).
 */
export function isBatchScript(path: string): boolean {
  return path
    .split(/[\\/:]/)
    .map((piece) => piece.replace(/(?<![. ])[. ]+$/, ''))
    .some((piece) => /\.(?:bat|cmd)$/i.test(piece));
}

/**
 * The program behind a `.cmd` shim as npm, pnpm and yarn write them: a line that ends in `%*` and
 * names the target relative to the shim's own directory (`"%dp0%\node_modules\...\cli.js" %*`).
 *
 * @returns the target's path, when it exists; `undefined` for any other batch file.
 */
export function resolveShim(shim: string, files: FileProbe): string | undefined {
  const text = files.readText(shim);
  if (text === undefined) return undefined;
  const directory = win32.dirname(shim);
  for (const line of text.split(/\r?\n/)) {
    if (!line.trimEnd().endsWith('%*')) continue;
    // The last quoted path is the program; the one before it, when there is one, is Node.
    const target = [...line.matchAll(/"%(?:~dp0|dp0%)\\?([^"%]+)"/g)].at(-1)?.[1];
    if (target === undefined) continue;
    const path = win32.resolve(directory, target);
    if (!isBatchScript(path) && files.isFile(path)) return path;
  }
  return undefined;
}
