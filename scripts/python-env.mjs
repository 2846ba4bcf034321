import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execaSync } from 'execa';

const root = fileURLToPath(new URL('..', import.meta.url));
const REQUIREMENTS = join(root, 'test', 'parity', 'python', 'requirements.txt');
const STAMP = 'installed.txt';
const OLDEST = [3, 10];

/** The older of the two releases that the parity rows run on. The newest is pinned by the requirements. */
const BEFORE = '0.2.143';

/** Why the official Python SDK cannot be had on this machine. */
export class NoPython extends Error {}

/** Whether the user accepts that: nothing that needs Python is run then, and a note says so. */
export const allowsNoPython = () => process.env.ALLOW_NO_PYTHON === '1';

/**
 * A Python with the packages of `test/parity/python/requirements.txt`, and without the CLI that the SDK carries.
 * Made by `python3 -m venv` and pip on the first call, kept until the requirements change.
 *
 * @param {{ folder?: string, isBefore?: boolean }} [options] `folder`: where the environments are kept. Default:
 *   `.build/python`. `isBefore`: the older release of the SDK.
 * @returns {string} path of its interpreter
 * @throws {NoPython} there is no Python 3.10 or later, or the packages cannot be installed
 */
export function ensurePython({ folder = join(root, '.build', 'python'), isBefore = false } = {}) {
  const python = findPython();
  const pinned = readFileSync(REQUIREMENTS, 'utf8');
  const requirements = isBefore ? pinned.replace(/^(claude-agent-sdk==).*$/m, `$1${BEFORE}`) : pinned;
  const key = createHash('sha256').update(requirements).update(python.version).digest('hex');
  const home = join(folder, key.slice(0, 12));
  if (existsSync(join(home, STAMP))) return interpreterOf(home);
  mkdirSync(folder, { recursive: true });
  // A lock made by name, so that two stages that run at once do not install into one folder.
  const lock = join(folder, `${key.slice(0, 12)}.lock`);
  if (!takeLock(lock)) return waitFor(home, lock, { folder, isBefore });
  try {
    install(home, python.command, requirements);
    return interpreterOf(home);
  } catch (error) {
    rmSync(home, { recursive: true, force: true });
    throw error;
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

function install(home, command, requirements) {
  rmSync(home, { recursive: true, force: true });
  const [sdk] = /^claude-agent-sdk==.*$/m.exec(requirements);
  console.error(`> python3 -m venv, with ${sdk} and test/parity/python/requirements.txt`);
  run(command, ['-m', 'venv', home]);
  const file = join(home, 'requirements.txt');
  writeFileSync(file, requirements);
  const interpreter = interpreterOf(home);
  run(interpreter, [
    ...['-m', 'pip', 'install', '--quiet', '--no-input', '--disable-pip-version-check'],
    ...['--no-deps', '-r', file],
  ]);
  const where = run(interpreter, ['-c', 'import claude_agent_sdk as s; print(s.__path__[0])']);
  rmSync(join(where.trim(), '_bundled'), { recursive: true, force: true });
  writeFileSync(join(home, STAMP), run(interpreter, ['-m', 'pip', 'freeze']));
}

function findPython() {
  const tried = [];
  for (const command of ['python3', 'python']) {
    const { failed, stdout } = execaSync(command, ['-c', 'import sys; print(*sys.version_info[:3])'], {
      timeout: 20_000,
      reject: false,
    });
    if (failed) {
      tried.push(`${command}: not found`);
      continue;
    }
    const [major, minor] = stdout.split(' ').map(Number);
    const isGood = major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
    if (isGood) return { command, version: stdout };
    tried.push(`${command}: ${major}.${minor}`);
  }
  throw new NoPython(`no Python ${OLDEST.join('.')} or later (${tried.join('; ')})`);
}

function takeLock(lock) {
  try {
    mkdirSync(lock);
    return true;
  } catch {
    return false;
  }
}

/** Another process installs: its stamp appears, or its lock goes without one. A lock left by a crash is named. */
function waitFor(home, lock, options) {
  const end = Date.now() + 300_000;
  while (Date.now() < end) {
    if (existsSync(join(home, STAMP))) return interpreterOf(home);
    if (!existsSync(lock)) return ensurePython(options);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
  }
  throw new NoPython(`somebody else installs it for five minutes; remove ${lock} if nobody does`);
}

function interpreterOf(home) {
  return process.platform === 'win32' ? join(home, 'Scripts', 'python.exe') : join(home, 'bin', 'python');
}

function run(command, args) {
  const { failed, stdout, stderr, shortMessage } = execaSync(command, args, {
    stdin: 'ignore',
    timeout: 240_000,
    reject: false,
  });
  if (!failed) return stdout;
  const why = stderr ? stderr.split('\n').slice(-3).join(' ') : shortMessage;
  throw new NoPython(`${command} ${args.slice(0, 3).join(' ')} failed: ${why}`);
}

// `node scripts/python-env.mjs` installs, and prints the interpreter.
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    console.log(ensurePython());
  } catch (error) {
    if (!(error instanceof NoPython)) throw error;
    console.error(`no Python SDK: ${error.message}`);
    if (!allowsNoPython()) process.exitCode = 1;
  }
}
