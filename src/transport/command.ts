import { CLINotFoundError } from '../errors.js';
import { workingDirectory } from '../util/host-places.js';
import {
  type CommandHost,
  type CommandHostInput,
  environmentVariable,
  pathRules,
  toCommandHost,
} from './command-host.js';
import { discoverClaude, isBatchScript, resolveShim, searchPath } from './discovery.js';
import { checkWorkingDirectory, isScript, launchFailure, notFoundAt } from './launch-error.js';

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
}

const PATH_VARIABLE = 'CLAUDE_CODE_EXECUTABLE';
const PACKAGE = '@anthropic-ai/claude-code';

/** Enough of a file to tell what kind of executable it is. */
const FORMAT_HEADER_BYTES = 20;

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
 * files. On Windows the program behind a `.cmd` shim replaces it, because only a shell can run the shim.
 * @throws CLINotFoundError there is no such file, or none anywhere.
 * @throws InvalidOptionError no working directory is given, and the one of this process does not exist any more.
 * @throws CLIConnectionError the working directory is missing, a batch script cannot be replaced, the runtime is
 * missing, or the file is an executable of another system.
 */
export function resolveCommand(request: CommandRequest, input: CommandHostInput): ResolvedCommand {
  const directoryError = checkWorkingDirectory(input.cwd);
  if (directoryError !== undefined) throw directoryError;
  // Throws if this process's working directory does not exist any more: the child would start there.
  if (input.cwd === undefined) workingDirectory('cwd');
  const host = toCommandHost(input);
  const given = request.path ?? (environmentVariable(host, PATH_VARIABLE) || undefined);
  const path = given === undefined ? discover(host) : locate(given, host);
  if (isScript(path)) return { file: locateRuntime(request.runtime, host), args: [...request.runtimeArgs, path] };
  checkFormat(path, host);
  return { file: path, args: request.runtimeArgs };
}

/**
 * The command for `spawnClaudeCodeProcess`. Nothing is checked, because it may run on another machine (TS-015). Without
 * a path it is what {@link resolveCommand} would find here, else `claude`.
 */
export function toSpawnCommand(request: CommandRequest, input: CommandHostInput): ResolvedCommand {
  const host = toCommandHost(input);
  const path = request.path ?? (environmentVariable(host, PATH_VARIABLE) || discoverClaude(host).found || 'claude');
  return isScript(path)
    ? { file: request.runtime, args: [...request.runtimeArgs, path] }
    : { file: path, args: request.runtimeArgs };
}

function discover(host: CommandHost): string {
  const { found, searched } = discoverClaude(host);
  if (found !== undefined) return found;
  throw new CLINotFoundError(
    `Claude Code not found. Install with: npm install ${PACKAGE}\n` +
      `If it is installed elsewhere, set \`pathToClaudeCodeExecutable\` or ${PATH_VARIABLE}. Searched:\n` +
      searched.map((place) => `  ${place}`).join('\n'),
    { searched },
  );
}

/** Checks a given path and returns it unchanged, or the program behind a Windows shim. */
function locate(given: string, host: CommandHost): string {
  const rules = pathRules(host);
  const isWindows = host.platform === 'win32';
  const hasDirectory = isWindows ? /[\\/:]/.test(given) : given.includes('/');
  if (!hasDirectory && !isScript(given)) {
    const { found, searched } = searchPath(given, host);
    if (found === undefined) throw missing(given, searched);
    return isWindows ? found : given;
  }
  const absolute = rules.resolve(host.cwd, given);
  if (isWindows && isBatchScript(given)) {
    const target = resolveShim(absolute, host.files);
    if (target !== undefined) return target;
    throw launchFailure(`${given} is a batch script, which only a shell can run`, {
      code: 'EINVAL',
      hint: 'Set `pathToClaudeCodeExecutable` to the .exe or .js file that the script starts.',
    });
  }
  if (!host.files.exists(absolute)) throw missing(given, [absolute]);
  return given;
}

function missing(cliPath: string, searched: readonly string[]): CLINotFoundError {
  return notFoundAt(cliPath, { searched, hint: `Check the path, or leave it out and run \`npm install ${PACKAGE}\`.` });
}

/**
 * The runtime as it was named, if the child's PATH has it. Environments without a usable PATH are common (`env`
 * replaces everything), so `node` then means the Node that runs this.
 */
function locateRuntime(runtime: string, host: CommandHost): string {
  const isBareName = !/[\\/]/.test(runtime);
  if (!isBareName) return runtime;
  const { found } = searchPath(runtime, host);
  if (found !== undefined) return host.platform === 'win32' ? found : runtime;
  if (runtime === 'node') return host.execPath;
  throw launchFailure(`the runtime \`${runtime}\` is not on the PATH of the child's environment`, {
    code: 'ENOENT',
    hint: 'Install it, add its directory to `PATH` in `env`, or set `executable` to its path.',
  });
}

function checkFormat(path: string, host: CommandHost): void {
  const absolute = pathRules(host).resolve(host.cwd, path);
  const header = host.files.readHeader(absolute, FORMAT_HEADER_BYTES);
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
  if (header.toString('latin1', 0, 4) === '\x7fELF') {
    if (platform !== 'linux') return 'an ELF file (Linux)';
    const machine = ELF_MACHINES[header.readUInt16LE(18)];
    return machine === undefined || machine === arch ? undefined : `built for ${machine}, not ${arch}`;
  }
  const isMachO = header.readUInt32LE(0) === 0xfeedfacf;
  if (isMachO && platform !== 'darwin') return 'a Mach-O file (macOS)';
  const isPortableExecutable = header.toString('latin1', 0, 2) === 'MZ';
  // Linux runs these under WSL.
  if (isPortableExecutable && platform === 'darwin') return 'a Windows program';
  return undefined;
}
