import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atExit } from '../driver/at-exit.js';

export interface TempFolder {
  readonly path: string;
  remove(): void;
  /** It stays. */
  keep(): void;
}

/** A folder that goes when it is removed, or at the latest when this process ends. */
export function makeTempFolder(prefix: string): TempFolder {
  const path = realpathSync(mkdtempSync(join(tmpdir(), prefix)));
  const erase = (): void => rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  const keep = atExit('remove', erase);
  return {
    path,
    keep,
    remove() {
      erase();
      keep();
    },
  };
}
