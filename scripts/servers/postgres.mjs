/**
 * A PostgreSQL server of its own on a free port of the loopback interface, in a new folder, for tests, benches and
 * examples. It refuses to run as root, so root runs it as the user `postgres` or `nobody`. POSTGRES_BIN names the folder
 * of another one's executables. As root it installs Debian's package where there is none.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { execa } from 'execa';
import { freePort } from './redis.mjs';

const READY = /database system is ready to accept connections/;
/** The same user, under another number. */
const AS_ANOTHER = ['unshare', '--user', '--map-user=1000', '--map-group=1000'];
const DEBIAN = '/usr/lib/postgresql';

/** Whether there is a PostgreSQL server on this machine, after an attempt to install one as root. */
export async function havePostgres() {
  if (binaries() !== undefined) return true;
  if (process.getuid?.() !== 0) return false;
  await execa('apt-get', ['update', '-qq'], { reject: false });
  await execa('apt-get', ['install', '-y', '-qq', 'postgresql'], { reject: false });
  return binaries() !== undefined;
}

export async function startPostgres({ args = [] } = {}) {
  const bin = binaries();
  if (bin === undefined) throw new Error('there is no PostgreSQL server: apt-get install postgresql');
  const prefix = isOnlyUser() ? AS_ANOTHER : [];
  const user = prefix.length > 0 ? undefined : await otherUser();
  // The other user must be able to enter it, which a temporary folder of root's may not allow.
  const folder = await mkdtemp(join(user === undefined ? tmpdir() : '/tmp', 'claudewire-postgres-'));
  if (user !== undefined) await chown(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  const options = { ...user, cwd: folder, reject: false, stdin: 'ignore', env: { LC_ALL: 'C.UTF-8' } };
  const initArgs = ['-D', data, '-E', 'UTF8', '--locale=C', '-A', 'trust', '-U', 'postgres', '--no-sync'];
  const run = (program, words, more) => {
    const [command, ...rest] = [...prefix, join(bin, program), ...words];
    return execa(command, rest, more);
  };
  const made = await run('initdb', initArgs, { ...options, all: true });
  if (made.failed) throw new Error(`initdb failed:\n${made.all}`);
  const port = await freePort();
  let { subprocess } = await start();

  async function start() {
    const fixed = ['-D', data, '-k', folder, '-h', '127.0.0.1', '-p', String(port), '-c', 'fsync=on'];
    const started = run('postgres', [...fixed, ...args], { ...options, buffer: false });
    const lines = [];
    for await (const line of createInterface({ input: started.stderr })) {
      lines.push(line);
      if (READY.test(line)) {
        started.stderr.resume();
        // Not the subprocess itself, which is a promise of its end.
        return { subprocess: started };
      }
    }
    throw new Error(`postgres did not start:\n${lines.join('\n')}`);
  }

  async function end(signal) {
    subprocess.kill(signal);
    await subprocess;
  }

  return {
    port,
    folder,
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    get pid() {
      return subprocess.pid;
    },
    /**
     * Ends it at once, without writing anything down, as a crash does: it recovers from its log when it starts again.
     * (SIGKILL of the first process would leave the others, which hold the folder.)
     */
    kill: () => end('SIGQUIT'),
    /** Starts it again on the same port, with what is on the disk. */
    async start() {
      ({ subprocess } = await start());
    },
    /** Ends it and removes its folder. */
    async stop() {
      await end('SIGINT');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** In a user namespace that has no user but root, such as that of the live tests. */
function isOnlyUser() {
  if (process.getuid?.() !== 0 || !existsSync('/proc/self/uid_map')) return false;
  return /^\s*0\s+\d+\s+1\s*$/.test(readFileSync('/proc/self/uid_map', 'utf8'));
}

function binaries() {
  const { POSTGRES_BIN } = process.env;
  if (POSTGRES_BIN) return existsSync(join(POSTGRES_BIN, 'postgres')) ? POSTGRES_BIN : undefined;
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a)) : [];
  const folders = [...versions.map((version) => join(DEBIAN, version, 'bin')), ...(process.env.PATH ?? '').split(':')];
  return folders.find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')));
}

/** Undefined for whoever is not root. */
async function otherUser() {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = await Promise.all(
      ['-u', '-g'].map(async (flag) => Number((await execa('id', [flag, name], { reject: false })).stdout || 'NaN')),
    );
    if (Number.isInteger(uid) && Number.isInteger(gid)) return { uid, gid };
  }
  throw new Error('root cannot run PostgreSQL, and there is no user `postgres` or `nobody`');
}
