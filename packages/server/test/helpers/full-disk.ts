import type * as Files from 'node:fs/promises';

/** Whether no file can grow. Files can be made, renamed and removed, as on a disk whose blocks are used up. */
export const disk = { isFull: false };

function noSpace(): Error {
  return Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
}

/** `node:fs/promises` on that disk, for `vi.mock()`. A write that finds no room leaves an empty file, as a real one does. */
export function onFullDisk(files: typeof Files): typeof Files {
  const writeFile: typeof files.writeFile = async (path, data, options) => {
    const isRefused = disk.isFull && data !== '';
    await files.writeFile(path, isRefused ? '' : data, options);
    if (isRefused) throw noSpace();
  };
  const appendFile: typeof files.appendFile = async (path, data, options) => {
    await files.appendFile(path, disk.isFull ? '' : data, options);
    if (disk.isFull && data !== '') throw noSpace();
  };
  const open: typeof files.open = async (...args) => {
    const handle = await files.open(...args);
    for (const method of ['write', 'writeFile', 'appendFile'] as const) {
      const write = handle[method].bind(handle) as (...args: readonly unknown[]) => Promise<unknown>;
      const refused = async (...given: readonly unknown[]): Promise<unknown> => {
        if (disk.isFull) throw noSpace();
        return await write(...given);
      };
      Object.assign(handle, { [method]: refused });
    }
    return handle;
  };
  return { ...files, writeFile, appendFile, open };
}
