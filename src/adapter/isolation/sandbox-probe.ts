import { mkdirSync, readlinkSync, realpathSync } from 'node:fs';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { codeOf } from '../../util/error-code.js';
import { removeTree } from '../../util/remove-tree.js';
import { ownDirectoryPrefix } from '../../util/stale-directories.js';
import { ESCAPE_SCRIPT, openIn } from './escape-attempts.js';
import { type CommandOutcome, runCommand } from './run-command.js';
import { findProgram, hasKeys, isExecutable, perlOf, writeGuard } from './sandbox-guard.js';

/** Whether a sandbox starts on this machine and contains its commands. */
export interface ProbeResult {
  /** A sandbox started, and nothing is open. */
  readonly passed: boolean;
  /** What a command in it could still do, such as `kernel settings in /proc/sys`. @defaultValue nothing */
  readonly openings?: readonly string[] | undefined;
  /** The problem, as one sentence. `undefined` when it passed. */
  readonly problem: string | undefined;
  /** The remedy. `undefined` when it passed. */
  readonly fix: string | undefined;
}

export interface SandboxProbeInput {
  readonly platform: string;
  /** The child's `PATH`. */
  readonly path: string | undefined;
  /** Where the homes of runs are made. @defaultValue the system's temporary directory */
  readonly tempRoot?: string | undefined;
}

/** Tries to start a sandbox. Never rejects. */
export type SandboxProbe = (input: SandboxProbeInput) => Promise<ProbeResult>;

/** A sandbox starts in about 20 ms. The rest is for machines under load. */
const TIMEOUT_MS = 10_000;
const PASSED: ProbeResult = { passed: true, problem: undefined, fix: undefined };
const PACKAGES: Readonly<Record<string, string>> = { bwrap: 'bubblewrap', socat: 'socat' };
/**
 * As the CLI starts its commands (observed): with their own namespaces and `/proc`, no rights, and a read-only file
 * system except for the working directory. The CLI also filters system calls, so the trial command can do more than a
 * real one.
 */
const bwrapArguments = (workingDirectory: string): string[] => [
  ...['--new-session', '--die-with-parent', '--unshare-net', '--ro-bind', '/', '/'],
  ...['--bind', workingDirectory, workingDirectory, '--dev', '/dev', '--unshare-pid'],
  ...['--unshare-user', '--cap-drop', 'ALL', '--proc', '/proc', '--'],
];
const SEATBELT = '/usr/bin/sandbox-exec';
const SHELL = '/bin/sh';
/** The namespaces that a sandbox must not share with us. */
const NAMESPACES = ['net', 'pid'].map((name) => `/proc/self/ns/${name}`);
/** `$1` is a file that must not be writable. The script continues after a failed write. */
const WRITE = 'echo written > "$1"';
/** `$2` is socat, which the CLI starts in its sandbox. */
const LINUX_SCRIPT = [
  '"$2" -V > /dev/null || exit 3',
  WRITE,
  ...NAMESPACES.map((path) => `readlink ${path} || exit 4`),
  ESCAPE_SCRIPT,
].join('\n');
const FAKE_FIX = 'Something else has the name of the sandbox: take it off the PATH, or install the real one.';
const NAMESPACE_FIX =
  'Allow user namespaces: in a container run it with a seccomp and AppArmor profile that permits them (`--security-opt seccomp=unconfined --security-opt apparmor=unconfined`), on Ubuntu 24.04 and later install an AppArmor profile for bwrap.';
/** The kernel refuses a new `/proc` while parts of the old one are covered, as in a container. */
const MASKED_FIX =
  'Show the container its whole `/proc`: `--security-opt systempaths=unconfined`, in Kubernetes `procMount: Unmasked`. Shell commands see it read-only all the same.';
const KEYS = 'keys of the host in the keyring of its session (with `perl` installed it is left behind)';
const OPEN_FIX =
  'Run as a user who is not root, or in a container whose root is mapped to such a user; keep the temporary directory on a file system from which programs can be started.';

/**
 * Starts a command in a sandbox with the tools that the CLI would use. Neither installed files nor an exit code of 0
 * prove anything, since a container may forbid namespaces. So the command must have its own namespaces, must fail to
 * write our file, and must fail to get out as an attacker would.
 */
export const probeSandbox: SandboxProbe = async ({ platform, path, tempRoot }) => {
  if (platform === 'linux') return probeBubblewrap(path, tempRoot);
  if (platform === 'darwin') return probeSeatbelt();
  return failed(`There is no sandbox on ${platform}.`, 'Run on Linux or macOS, or without the sandbox.');
};

/** Runs the probe once for each `PATH` and temporary directory. Parallel calls share one run. */
export function probeOnce(probe: SandboxProbe = probeSandbox): SandboxProbe {
  const results = new Map<string, Promise<ProbeResult>>();
  return (input) => {
    const key = `${input.platform}\0${input.path ?? ''}\0${input.tempRoot ?? ''}`;
    const known = results.get(key);
    if (known !== undefined) return known;
    const result = probe(input);
    results.set(key, result);
    result.catch(() => results.delete(key));
    return result;
  };
}

async function probeBubblewrap(path: string | undefined, tempRoot: string | undefined): Promise<ProbeResult> {
  const [bwrap, socat] = ['bwrap', 'socat'].map((name) => findProgram(name, path));
  if (bwrap === undefined || socat === undefined) {
    const missing = [...(bwrap ? [] : ['bwrap']), ...(socat ? [] : ['socat'])];
    return failed(
      `${missing.map((name) => `\`${name}\``).join(' and ')} ${missing.length === 1 ? 'is' : 'are'} not on the PATH of the CLI.`,
      `Install ${missing.map((name) => PACKAGES[name]).join(' and ')}: \`apt-get install bubblewrap socat\`, or the packages of that name of your distribution.`,
    );
  }
  const { outcome, wrote } = await tryToWrite(tempRoot, (file, folder) => {
    const guard = writeGuard(join(folder, 'bin'), bwrap, perlOf(path));
    const working = join(folder, 'work');
    const ipc = linkOf('/proc/self/ns/ipc') ?? 'unknown';
    mkdirSync(working);
    return runCommand(
      // Like the CLI, which takes the next one where this file system allows no execution.
      isExecutable(guard) ? guard : bwrap,
      [...bwrapArguments(working), SHELL, '-c', LINUX_SCRIPT, SHELL, file, socat, dirname(guard), ipc],
      limits(path),
    );
  });
  if (wrote || (outcome.exitCode === 0 && !hasOwnNamespaces(outcome.stdout))) {
    const what = wrote ? 'can write where it must not' : 'has no namespaces of its own';
    return failed(`A command that \`bwrap\` (${bwrap}) starts ${what}.`, FAKE_FIX);
  }
  const keys = perlOf(path) === undefined && hasKeys() ? [KEYS] : [];
  if (outcome.exitCode === 0) return judged([...openIn(outcome.stdout), ...keys]);
  return failed(
    `\`bwrap\` cannot start a command: ${reasonOf(outcome)}`,
    outcome.stderr.includes("Can't mount proc") ? MASKED_FIX : NAMESPACE_FIX,
  );
}

function judged(openings: readonly string[]): ProbeResult {
  if (openings.length === 0) return PASSED;
  const user = `uid ${process.getuid?.() ?? 'unknown'}`;
  return {
    ...failed(`A command in the sandbox can leave it (${user}). Open are: ${openings.join('; ')}.`, OPEN_FIX),
    openings,
  };
}

async function probeSeatbelt(): Promise<ProbeResult> {
  const profile = '(version 1)(allow default)(deny file-write*)';
  const { outcome, wrote } = await tryToWrite(undefined, (file) =>
    runCommand(SEATBELT, ['-p', profile, SHELL, '-c', `${WRITE}; exit 0`, SHELL, file], limits(undefined)),
  );
  if (wrote) return failed('A command that `sandbox-exec` starts can write where it must not.', FAKE_FIX);
  if (outcome.exitCode === 0) return PASSED;
  return failed(
    `\`sandbox-exec\` cannot start a command: ${reasonOf(outcome)}`,
    'A process that is in a sandbox itself cannot start another one: run the host outside of it.',
  );
}

/** Lets a command try to write our file, and checks whether it did. */
async function tryToWrite(
  tempRoot: string | undefined,
  start: (file: string, folder: string) => Promise<CommandOutcome>,
): Promise<{ readonly outcome: CommandOutcome; readonly wrote: boolean }> {
  let folder: string | undefined;
  try {
    folder = await mkdtemp(join(realpathSync(tempRoot ?? tmpdir()), ownDirectoryPrefix()));
    const file = join(folder, 'probe');
    await writeFile(file, '', { mode: 0o600, flag: 'wx' });
    const outcome = await start(file, folder);
    return { outcome, wrote: (await readFile(file, 'utf8')) !== '' };
  } catch (error) {
    const failure = `the temporary directory cannot be used (${codeOf(error) ?? 'unknown'})`;
    return { outcome: { exitCode: undefined, stdout: '', stderr: '', failure }, wrote: false };
  } finally {
    if (folder !== undefined) await removeTree(folder).catch(() => {});
  }
}

/** Compares the namespaces that the command printed with ours. */
function hasOwnNamespaces(said: string): boolean {
  const lines = said
    .trim()
    .split('\n')
    .filter((line) => !line.startsWith('open '));
  return (
    lines.length === NAMESPACES.length &&
    NAMESPACES.every((path, at) => {
      const line = lines[at] ?? '';
      return /^(?:net|pid):\[\d+\]$/.test(line) && line !== linkOf(path);
    })
  );
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

function limits(path: string | undefined): Parameters<typeof runCommand>[2] {
  return { env: { PATH: path, LC_ALL: 'C' }, timeoutMs: TIMEOUT_MS };
}

function reasonOf({ failure, exitCode, stderr }: CommandOutcome): string {
  if (failure === 'timeout') return `it did not end within ${TIMEOUT_MS} ms.`;
  const said = stderr.trim().split('\n').slice(0, 3).join(' ').slice(0, 500);
  return said === '' ? `${failure ?? `exit code ${exitCode}`}.` : said;
}

function failed(problem: string, fix: string): ProbeResult {
  return { passed: false, problem, fix };
}
