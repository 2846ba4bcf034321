import { win32 } from 'node:path';
import { toCommandHost } from '../../../../src/transport/command-host.js';
import { searchPath } from '../../../../src/transport/discovery.js';

/** Where `claude` is found on a Windows machine with these folders on its PATH, and these files. */
export function find(folders: readonly string[], files: readonly string[]): string | null {
  const has = (path: string): boolean => files.includes(path);
  const host = toCommandHost({
    env: { PATH: folders.join(win32.delimiter) },
    platform: 'win32',
    files: {
      exists: has,
      isFile: has,
      isExecutable: has,
      readText: () => undefined,
      readHeader: () => Buffer.alloc(0),
      realPath: (path) => path,
    },
  });
  return searchPath('claude', host).found ?? null;
}
