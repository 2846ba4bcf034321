import { existsSync, fstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPrivateFile, spoolFolders } from '../../../src/query/backlog/spool-file.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'claudewire-test-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.skipIf(process.platform === 'win32')(
  'is 0600 and has no name as soon as it is open (skipped on Windows)',
  async () => {
    const handle = (await openPrivateFile([folder])) as FileHandle;
    try {
      expect(readdirSync(folder)).toEqual([]);
      const { mode, nlink } = fstatSync(handle.fd);
      expect({ mode: mode & 0o777, nlink }).toEqual({ mode: 0o600, nlink: 0 });
      await handle.write(Buffer.from('content'), 0, 7, 0);
      const back = Buffer.alloc(7);
      await handle.read(back, 0, 7, 0);
      expect(back.toString()).toBe('content');
    } finally {
      await handle.close();
    }
  },
);

test('the next folder is tried where one takes no file, and the first error is told when none does', async () => {
  const missing = join(folder, 'missing');
  const handle = await openPrivateFile([missing, folder]);
  await handle.close();
  await expect(openPrivateFile([missing, '/dev/null'])).rejects.toMatchObject({ code: 'ENOENT' });
  expect(readdirSync(folder)).toEqual([]);
});

test.skipIf(!existsSync('/dev/shm'))('a file system in memory comes last (only where there is /dev/shm)', async () => {
  expect(await spoolFolders(['/dev/shm', folder])).toEqual([folder, '/dev/shm']);
  expect(await spoolFolders(['/dev/shm'])).toEqual(['/dev/shm']);
});

test('a folder that is not there keeps its place: opening a file says the rest', async () => {
  mkdirSync(join(folder, 'here'));
  const folders = [join(folder, 'missing'), join(folder, 'here')];
  expect(await spoolFolders(folders)).toEqual(folders);
});
