import { gzipSync } from 'node:zlib';

const BLOCK = 512;

/** The files of a package, by name, as npm packs them: lock files hash them, so the same files give the same bytes. */
export function packTarball(files: ReadonlyMap<string, string>): Buffer {
  const entries = [...files].flatMap(([name, text]) => {
    const content = Buffer.from(text);
    return [header(`package/${name}`, content.length), content, Buffer.alloc(-content.length & (BLOCK - 1))];
  });
  // Not compressed: what compression gives depends on the version of zlib.
  const packed = gzipSync(Buffer.concat([...entries, Buffer.alloc(2 * BLOCK)]), { level: 0 });
  // The system that wrote it: unknown.
  packed[9] = 255;
  return packed;
}

/** "ustar Interchange Format" of POSIX: name, mode, owner, group, size, time (the one that npm writes), checksum, type. */
function header(name: string, size: number): Buffer {
  const octal = [0o644, 0, 0].map((value) => `${value.toString(8).padStart(7, '0')}\0`).join('');
  const sizeAndTime = [size, 499_162_500].map((value) => `${value.toString(8).padStart(11, '0')}\0`).join('');
  const block = Buffer.alloc(BLOCK);
  // The checksum counts its own field as spaces. `0` is a regular file.
  block.write(`${name.padEnd(100, '\0')}${octal}${sizeAndTime}${' '.repeat(8)}0`, 'latin1');
  block.write('ustar\x0000', 257, 'latin1');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0`, 148, 'latin1');
  return block;
}
