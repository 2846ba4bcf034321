import { workingDirectory } from '../../util/host-places.js';
import { AdapterConfigError } from '../errors/config-errors.js';
import { lenientRealPath } from './lenient-real-path.js';
import { openFolders } from './open-places.js';
import { isInside } from './sandbox-paths.js';

/**
 * A home where the model works, or its commands write, would be open to it: settings, transcript and all.
 *
 * @throws {@link AdapterConfigError} the temporary directory lies in a working directory or a writable path, or is one.
 */
export function requireOwnPlace(
  tempRoot: string,
  writablePaths: readonly string[],
  working: {
    readonly workspacePath?: string | undefined;
    readonly addDirs?: readonly string[] | undefined;
  },
): void {
  const real = lenientRealPath(tempRoot);
  const open = openFolders({
    workingDirectory: working.workspacePath ?? workingDirectory('cwd'),
    addDirs: working.addDirs ?? [],
    writablePaths,
    realPath: lenientRealPath,
  }).find((folder) => folder === real || isInside(real, folder));
  if (open === undefined) return;
  throw new AdapterConfigError(
    `The home of the run would lie where tools may write: the temporary directory ${JSON.stringify(tempRoot)} is in ${JSON.stringify(open)}, a working directory or one of \`isolation.sandbox.writablePaths\``,
    ['tempRoot'],
    { hint: 'Set TMPDIR, or `tempRoot`, to a directory outside of it, or name a folder below it.' },
  );
}
