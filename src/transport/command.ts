import { CLINotFoundError } from '../errors.js';
import { workingDirectory } from '../util/host-places.js';
import {
  type CommandHost,
  type CommandHostInput,
  environmentVariable,
  pathRules,
  toCommandHost,
} from './command-host.js';
import { binaryOf, discoverClaude, isBatchScript, resolveShim, searchPath } from './discovery.js';
import { ASAR, checkWorkingDirectory, INSTALL, isScript, launchFailure, notFoundAt } from './launch-error.js';

/** What the options say about the executable. */
export interface CommandRequest {
  /** `pathToClaudeCodeExecutable`. `undefined`: look for it. */
  readonly path: string | undefined;
  /** Runtime for script files, such as `node`. */
  readonly runtime: string;
  /** Arguments before the path of a script, or the first ones of a native executable. */
  readonly runtimeArgs: readonly string[];
}

/** What to spawn. `args` come before those of the CLI. */
export interface ResolvedCommand {
  readonly file: string;
  readonly args: readonly string[];
  /** Variables that this process needs besides those of the plan. */
  readonly env?: Readonly<Record<string, string>>;
}

const RUN_AS_NODE = 'ELECTRON_RUN_AS_NODE';

const PATH_VARIABLE = 'CLAUDE_CODE_EXECUTABLE';
const PACKAGE = '@anthropic-ai/claude-code';

/** Enough of a file to tell what kind of executable it is. */
const FORMAT_HEADER_BYTES = 20;

/** How executables begin, first byte first. Mach-O is the one of 64 bits, written by a little-endian machine. */
const ELF_MAGIC = 0x7f454c46;
const MACH_O_MAGIC = 0xcffaedfe;
const WINDOWS_MAGIC = 0x4d5a;

const ELF_MACHINES: Readonly<Record<number, string>> = {
  3: 'ia32',
  40: 'arm',
  62: 'x64',
  183: 'arm64',
  243: 'riscv64',
};

/**
 * Finds what to spawn, in this order: the given path, `CLAUDE_CODE_EXECUTABLE` of the child's environment, the npm
 * packages that carry the binary, the child's PATH, the known install places. A given path is used as it is. It is
 * relative to the child's working directory, and a bare name is looked up in the child's PATH. The runtime runs script
 * files. For the folder of a package it is the executable in it, and for a path inside an asar archive the unpacked copy.
 * On Windows the program behind a `.cmd` shim replaces it, because only a shell can run the shim.
 * @throws CLINotFoundError there is no such file, or none anywhere.
 * @throws InvalidOptionError no working directory is given, and the one of this process does not exist any more.
 * @throws CLIConnectionError the working directory is missing, the path is a directory without an executable or in an
 * archive, a batch script cannot be replaced, the runtime is missing, or the file is of another system.
 */
export function resolveCommand(request: CommandRequest, input: CommandHostInput): ResolvedCommand {
  const directoryError = input.cwd === undefined ? undefined : checkWorkingDirectory(input.cwd);
  if (directoryError !== undefined) throw directoryError;
  // Throws if this process's working directory does not exist any more: the child would start there.
  const cwd = input.cwd ?? workingDirectory('cwd');
  const host = toCommandHost({ ...input, cwd });
  const given = request.path ?? (environmentVariable(host, PATH_VARIABLE) || undefined);
  const { path, header } = given === undefined ? { path: runnable(discover(host), host) } : locate(given, host);
  if (isScript(path)) return runScript(path, request, host);
  checkFormat(path, header ?? readHeader(path, host), host);
  return { file: path, args: request.runtimeArgs };
}

function runScript(path: string, { runtime, runtimeArgs }: CommandRequest, host: CommandHost): ResolvedCommand {
  const file = locateRuntime(runtime, host);
  const args = [...runtimeArgs, path];
  if (!host.isElectron || file !== host.execPath || environmentVariable(host, RUN_AS_NODE)) return { file, args };
  // Gone before the CLI runs: an Electron app that a tool of the CLI starts must not become Node.
  const forget = ['--import', `data:text/javascript,delete%20process.env.${RUN_AS_NODE}`];
  return { file, args: [...forget, ...args], env: { [RUN_AS_NODE]: '1' } };
}

/** The absolute path of the CLI in a command: the script, or what is started. */
export function executableOf({ file, args }: ResolvedCommand, input: CommandHostInput): string {
  const host = toCommandHost(input);
  const script = args.at(-1);
  const path = script !== undefined && isScript(script) ? script : file;
  const isName = !/[\\/]/.test(path);
  return (isName ? searchPath(path, host).found : undefined) ?? pathRules(host).resolve(host.cwd, path);
}

/**
 * The command for `spawnClaudeCodeProcess`. Nothing is checked, because it may run on another machine (TS-015). Without
 * a path it is what {@link resolveCommand} would find here, else `claude`.
 */
export function toSpawnCommand(request: CommandRequest, input: CommandHostInput): ResolvedCommand {
  const host = toCommandHost(input);
  const given = request.path ?? (environmentVariable(host, PATH_VARIABLE) || discoverClaude(host).found || 'claude');
  const path = unpacked(given, host);
  return isScript(path)
    ? { file: request.runtime, args: [...request.runtimeArgs, path] }
    : { file: path, args: request.runtimeArgs };
}

function discover(host: CommandHost): string {
  const { found, searched } = discoverClaude(host);
  if (found !== undefined) return found;
  throw new CLINotFoundError(
    `Claude Code not found. Install with: ${INSTALL}\n` +
      `If it is installed elsewhere, set \`pathToClaudeCodeExecutable\` or ${PATH_VARIABLE}. Searched:\n` +
      searched.map((place) => `  ${place}`).join('\n'),
    { searched, hint: `Run \`${INSTALL}\`. \`claudewire doctor\` checks whether a run can start.` },
  );
}

/** The path, or for one inside an asar archive the copy that packagers put beside it, if there is one. */
function unpacked(path: string, host: CommandHost): string {
  const copy = path.replace(ASAR, '.asar.unpacked');
  return copy !== path && host.files.exists(pathRules(host).resolve(host.cwd, copy)) ? copy : path;
}

/** Electron reads files inside an archive, but the system cannot start them. */
function runnable(path: string, host: CommandHost): string {
  return ASAR.test(path) ? outsideArchive(path, host) : path;
}

function outsideArchive(path: string, host: CommandHost): string {
  const copy = unpacked(path, host);
  if (!ASAR.test(copy)) return copy;
  // Elsewhere a path that exists leads through a folder of that name.
  if (!host.isElectron && host.files.exists(pathRules(host).resolve(host.cwd, path))) return path;
  throw launchFailure(
    `${path} is inside an asar archive, and there is no unpacked copy of it. Add its package to \`asarUnpack\``,
    { code: 'ENOTDIR', hint: 'Electron Forge has `asar.unpack` for it. Or set `pathToClaudeCodeExecutable`.' },
  );
}

/** What stands for a given path. */
interface Located {
  readonly path: string;
  /** How the file begins, if that was read to find out whether it is one. */
  readonly header?: Buffer;
}

/** Checks a given path: see {@link resolveCommand}. */
function locate(given: string, host: CommandHost): Located {
  const isWindows = host.platform === 'win32';
  const hasDirectory = isWindows ? /[\\/:]/.test(given) : given.includes('/');
  if (!hasDirectory && !isScript(given)) {
    const { found, searched, hasSkipped } = searchPath(given, host);
    if (found === undefined) throw notFoundAt(given, { searched });
    return { path: isWindows || hasSkipped ? found : given };
  }
  const path = runnable(given, host);
  const absolute = pathRules(host).resolve(host.cwd, path);
  if (isWindows && isBatchScript(given)) {
    const target = resolveShim(absolute, host.files);
    if (target !== undefined) return { path: target };
    throw launchFailure(`${given} is a batch script, which only a shell can run`, {
      code: 'EINVAL',
      hint: 'Set `pathToClaudeCodeExecutable` to the .exe or .js file that the script starts.',
    });
  }
  // Then it is a file, and its format has to be known anyway. That of a script has not.
  const header = isScript(path) ? undefined : readHeader(absolute, host);
  if (header !== undefined && header.length > 0) return { path, header };
  if (host.files.isFile(absolute)) return { path };
  if (!host.files.exists(absolute)) throw notFoundAt(given, { searched: [absolute] });
  // The folder of a package is meant as what it has.
  return { path: binaryOf(absolute, host) ?? path };
}

/**
 * The runtime as it was named, if the child's PATH has it. Environments without a usable PATH are common (`env`
 * replaces everything), so `node` then means the Node, Bun or Electron that runs this.
 */
function locateRuntime(runtime: string, host: CommandHost): string {
  if (/[\\/]/.test(runtime)) return runtime;
  const { found, hasSkipped } = searchPath(runtime, host);
  if (found !== undefined) return host.platform === 'win32' || hasSkipped ? found : runtime;
  // A program compiled with its runtime would start itself, again and again.
  const canRunScripts = host.isElectron || /^(?:node|bun)/i.test(pathRules(host).basename(host.execPath));
  if (runtime === 'node' && canRunScripts) return host.execPath;
  throw launchFailure(`the runtime \`${runtime}\` is not on the PATH of the child's environment`, {
    code: 'ENOENT',
    hint: 'Install it, add its directory to `PATH` in `env`, or set `executable` to its path.',
  });
}

function readHeader(path: string, host: CommandHost): Buffer {
  return host.files.readHeader(pathRules(host).resolve(host.cwd, path), FORMAT_HEADER_BYTES);
}

function checkFormat(path: string, header: Buffer, host: CommandHost): void {
  const format = foreignFormat(header, host.platform, host.arch);
  if (format === undefined) return;
  throw launchFailure(`${path} is ${format}`, { code: 'ENOEXEC', hint: `Reinstall ${PACKAGE} on this machine.` });
}

/**
 * Names the format of an executable that this system cannot run. `undefined` if it can, or if the format is unknown.
 * Without this check the C library gives such a file to `/bin/sh`, which fails with a syntax error.
 */
export function foreignFormat(header: Buffer, platform: NodeJS.Platform, arch: string): string | undefined {
  if (header.length < FORMAT_HEADER_BYTES) return undefined;
  const magic = header.readUInt32BE(0);
  if (magic === ELF_MAGIC) {
    if (platform !== 'linux') return 'an ELF file (Linux)';
    const machine = ELF_MACHINES[header.readUInt16LE(18)];
    return machine === undefined || machine === arch ? undefined : `built for ${machine}, not ${arch}`;
  }
  if (magic === MACH_O_MAGIC && platform !== 'darwin') return 'a Mach-O file (macOS)';
  // Linux runs these under WSL.
  if (magic >>> 16 === WINDOWS_MAGIC && platform === 'darwin') return 'a Windows program';
  return undefined;
}
