/** Enough of a file to tell what kind of executable it is. */
export const FORMAT_HEADER_BYTES = 20;

const ELF_MACHINES: Readonly<Record<number, string>> = {
  3: 'ia32',
  40: 'arm',
  62: 'x64',
  183: 'arm64',
  243: 'riscv64',
};

/**
 * Names the format of an executable that this system cannot run; `undefined` for one that it can,
 * or that is not recognised. Without this check the C library hands such a file to `/bin/sh`, which
 * answers with a syntax error and an exit code.
 */
export function foreignFormat(
  header: Buffer,
  platform: NodeJS.Platform,
  arch: string,
): string | undefined {
  if (header.length < FORMAT_HEADER_BYTES) return undefined;
  if (header.toString('latin1', 0, 4) === '\x7fELF') {
    if (platform !== 'linux') return 'an ELF file (Linux)';
    const machine = ELF_MACHINES[header.readUInt16LE(18)];
    return machine === undefined || machine === arch
      ? undefined
      : `built for ${machine}, not ${arch}`;
  }
  const isMachO = header.readUInt32LE(0) === 0xfeedfacf;
  if (isMachO && platform !== 'darwin') return 'a Mach-O file (macOS)';
  const isPortableExecutable = header.toString('latin1', 0, 2) === 'MZ';
  // Linux runs these under WSL, which registers itself as an interpreter.
  if (isPortableExecutable && platform === 'darwin') return 'a Windows program';
  return undefined;
}
