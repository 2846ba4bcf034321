import { execaSync } from 'execa';
import { problemOf } from './run.mjs';

/** Why the tests with a real CLI cannot run on this machine. */
export class CannotRun extends Error {}

/** Brings loopback up, then becomes the command. `ip` is often outside a user's PATH. */
const LOOPBACK_ONLY = 'PATH="$PATH:/usr/sbin:/sbin"; ip link set lo up && exec "$@"';

/**
 * The words in front of a command that shall see no network but loopback, tried out: none where the platform
 * has no such thing. Root may lack user namespaces, users lack the others.
 *
 * @returns {string[]}
 * @throws {CannotRun} on a Linux machine that cannot make one
 */
export function findNamespace() {
  if (process.platform !== 'linux') {
    console.log(`  no network namespaces on ${process.platform}: running without one`);
    return [];
  }
  const problems = [];
  for (const flags of ['-rn', '-n']) {
    const prefix = ['unshare', flags, 'sh', '-c', LOOPBACK_ONLY, 'sh'];
    const problem = problemOf([...prefix, 'true']);
    if (problem === undefined) return prefix;
    problems.push(`unshare ${flags}: ${problem}`);
  }
  throw new CannotRun(`no loopback-only network namespace (${problems.join('; ')})`);
}

/** As root there is nobody else to be but a number that nobody has. */
const OTHER_UID = 12345;

/**
 * The words in front of a command that shall see no network but loopback and be run by a user who is not root, tried out. As root that
 * is another user, who may not be able to enter the checkout: it is mounted on a folder that he can. Others stay who they are.
 *
 * @param {string} root of the checkout
 * @param {string} folder empty, to mount it on
 * @returns {{ prefix: string[], user: number, root: string }} with the place of the checkout
 * @throws {CannotRun} where that cannot be
 */
export function findNamespaceOfUser(root, folder) {
  const isRoot = process.getuid() === 0;
  const user = isRoot ? OTHER_UID : process.getuid();
  const up = 'export PATH="$PATH:/usr/sbin:/sbin"; ip link set lo up';
  const script = isRoot
    ? `${up} && mount --bind "$1" "$2" && cd "$2" && shift 2 && exec setpriv --reuid=${user} --regid=${user} --clear-groups "$@"`
    : `${up} && shift 2 && exec unshare --user --map-user=${user} --map-group=${process.getgid()} "$@"`;
  const flags = isRoot ? '-nm' : '-rn';
  const prefix = ['unshare', flags, 'sh', '-c', script, 'sh', root, folder];
  const place = isRoot ? folder : root;
  const problem = problemOf([...prefix, 'test', '-r', `${place}/package.json`]);
  if (problem === undefined) return { prefix, user, root: place };
  throw new CannotRun(`no namespace as uid ${user} (${problem})`);
}

/**
 * What the CLI's sandbox on Linux lacks here, tried out inside the namespace of {@link findNamespace}.
 *
 * @param {string[]} namespace
 * @returns {string | undefined} `undefined`: nothing
 */
export function findSandboxProblem(namespace) {
  const tries = [
    ['bwrap', '--unshare-all', '--ro-bind', '/', '/', '--proc', '/proc', 'true'],
    ['socat', '-V'],
    ['curl', '--version'],
  ];
  for (const words of tries) {
    const problem = problemOf([...namespace, ...words]);
    if (problem !== undefined) return `${words[0]} does not work (apt-get install bubblewrap socat curl): ${problem}`;
  }
  return undefined;
}

/**
 * Installs what the lock file of a folder says. Install scripts are not run: they only link binaries, and those are
 * called where they are.
 *
 * @param {string} folder
 * @param {...string} flags for npm
 * @throws {CannotRun}
 */
export function npmCi(folder, ...flags) {
  const npm = process.env.npm_execpath;
  const [command, ...before] = npm === undefined ? ['npm'] : [process.execPath, npm];
  const { failed, shortMessage } = execaSync(command, [...before, 'ci', '--ignore-scripts', ...flags], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
    timeout: 300_000,
    reject: false,
  });
  if (failed) throw new CannotRun(`${folder}: ${shortMessage}`);
}

/** As in the names of the platform packages: `linux-x64`, `linux-arm64-musl`, `darwin-arm64`. */
export function platformName() {
  const { glibcVersionRuntime } = process.report.getReport().header;
  const isMusl = process.platform === 'linux' && glibcVersionRuntime === undefined;
  return `${process.platform}-${process.arch}${isMusl ? '-musl' : ''}`;
}
