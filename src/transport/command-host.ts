import { accessSync, closeSync, constants, openSync, readSync, realpathSync, statSync } from 'node:fs';
import { dirname, posix, win32 } from 'node:path';
import { fileURLToPath } from 'node:url';
import { knownHome, workingDirectory } from '../util/host-places.js';

/** The machine as the search for an executable sees it. Injected, so that tests of Windows run anywhere. */
export interface CommandHost {
  /** The child's environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The child's working directory; relative paths start there. */
  readonly cwd: string;
  readonly platform: NodeJS.Platform;
  readonly arch: string;
  readonly homeDirectory: string;
  /** Node itself, or Electron. */
  readonly execPath: string;
  readonly isElectron: boolean;
  /** Directories from which npm packages are looked for, upwards. */
  readonly packageRoots: readonly string[];
  readonly files: FileProbe;
}

/** Questions to a file system. They do not throw. */
export interface FileProbe {
  readonly exists: (path: string) => boolean;
  readonly isFile: (path: string) => boolean;
  /** A file that this user may run. */
  readonly isExecutable: (path: string) => boolean;
  /** Of a manifest or a script, of which no more than the beginning is read. `undefined`: empty, or not readable. */
  readonly readText: (path: string) => string | undefined;
  /** The first bytes: fewer if the file is shorter, none if it is not readable. */
  readonly readHeader: (path: string, bytes: number) => Buffer;
  /** The path without symbolic links, or the path itself if it does not exist. */
  readonly realPath: (path: string) => string;
}

/** More than any manifest has. */
const MAX_TEXT_BYTES = 256 * 1024;

/** What a caller must give. The rest defaults to this machine. */
export type CommandHostInput = Pick<CommandHost, 'env'> &
  Partial<Omit<CommandHost, 'env' | 'cwd'>> & { readonly cwd?: string | undefined };

export function toCommandHost(input: CommandHostInput): CommandHost {
  return {
    env: input.env,
    cwd: input.cwd ?? hostDirectory()[0] ?? '/',
    platform: input.platform ?? process.platform,
    arch: input.arch ?? process.arch,
    execPath: input.execPath ?? process.execPath,
    isElectron: input.isElectron ?? process.versions.electron !== undefined,
    // Found out when needed, which is not on the way to a given executable.
    get homeDirectory() {
      return input.homeDirectory ?? knownHome() ?? '/';
    },
    get packageRoots() {
      return input.packageRoots ?? [...hostDirectory(), ...ownDirectory()];
    },
    files: input.files ?? realFiles,
  };
}

/** Path rules of the host, which in tests is not this machine. */
export function pathRules(host: Pick<CommandHost, 'platform'>): typeof posix {
  return host.platform === 'win32' ? win32 : posix;
}

/** A variable of the child's environment. On Windows the case of its name does not matter. */
export function environmentVariable(host: CommandHost, name: string): string | undefined {
  if (host.platform !== 'win32') return host.env[name];
  const upper = name.toUpperCase();
  const key = Object.keys(host.env).find((candidate) => candidate.toUpperCase() === upper);
  return key === undefined ? undefined : host.env[key];
}

/** Empty if it does not exist any more. */
function hostDirectory(): string[] {
  try {
    return [workingDirectory('cwd')];
  } catch {
    return [];
  }
}

/** Of a CommonJS bundle too, which has no `import.meta.url`. */
function ownDirectory(): string[] {
  try {
    return [dirname(import.meta.url ? fileURLToPath(import.meta.url) : __filename)];
  } catch {
    return [];
  }
}

const realFiles: FileProbe = {
  exists: (path) => attempt(() => statSync(path, { throwIfNoEntry: false }) !== undefined, false),
  isFile: (path) => attempt(() => statSync(path, { throwIfNoEntry: false })?.isFile() === true, false),
  isExecutable: (path) =>
    attempt(() => {
      accessSync(path, constants.X_OK);
      return statSync(path).isFile();
    }, false),
  readText: (path) => readFileHeader(path, MAX_TEXT_BYTES).toString('utf8') || undefined,
  readHeader: readFileHeader,
  realPath: (path) => attempt(() => realpathSync(path), path),
};

/** See {@link FileProbe.readHeader}. */
export function readFileHeader(path: string, bytes: number): Buffer {
  return attempt(() => {
    // Without O_NONBLOCK a pipe with no writer would hold the host for ever.
    const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    try {
      const buffer = Buffer.alloc(bytes);
      return buffer.subarray(0, readSync(descriptor, buffer));
    } finally {
      closeSync(descriptor);
    }
  }, Buffer.alloc(0));
}

function attempt<T>(ask: () => T, otherwise: T): T {
  try {
    return ask();
  } catch {
    return otherwise;
  }
}
