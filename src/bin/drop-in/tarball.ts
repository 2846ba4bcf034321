import { gzipSync } from 'node:zlib';

/** As npm writes it. A fixed time, so that the same files give the same bytes. */
const MODIFIED_S = 499_162_500;
const BLOCK = 512;

/** The files of a package, by name, as npm packs them: the same bytes on every machine, as lock files hash them. */
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

/** https://pubs.opengroup.org/onlinepubs/9799919799/utilities/pax.html, "ustar Interchange Format". */
function header(name: string, size: number): Buffer {
  const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, '0')}\0`;
  const before = [
    name.padEnd(100, '\0'),
    octal(0o644, 7),
    octal(0, 7),
    octal(0, 7),
    octal(size, 11),
    octal(MODIFIED_S, 11),
  ];
  const block = Buffer.alloc(BLOCK);
  // The checksum counts its own field as spaces. `0` is a regular file.
  block.write(`${before.join('')}        0`, 'latin1');
  block.write('ustar\x0000', 257, 'latin1');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}
