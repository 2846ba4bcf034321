/**
 * A stand-in for S3 on a free port of the loopback interface, for tests, benches and examples: `moto[server]` of PyPI,
 * in a Python environment below `.build/` that the first call makes. It keeps everything in memory, and answers a
 * conditional PUT of a key that exists with 412, as S3 does. It looks for the key and writes it in two steps, so requests
 * are taken one at a time: of two such PUTs at once, S3 takes one.
 */
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { freePort } from './redis.mjs';

const VERSION = '5.2.5';
const root = fileURLToPath(new URL('../..', import.meta.url));
const home = join(root, '.build', `s3-moto-${VERSION}`);
const program = join(home, 'bin', 'moto_server');
const python = join(home, 'bin', 'python');
const START_MS = 60_000;

const ONE_AT_A_TIME = `
import threading
from moto import server

class OneAtATime(server.DomainDispatcherApplication):
    turn = threading.Lock()

    def __call__(self, *request):
        with self.turn:
            return super().__call__(*request)

server.DomainDispatcherApplication = OneAtATime
server.main()
`;

/** Whether the stand-in can run on this machine, after an attempt to install it. Needs Python with venv. */
export async function haveS3() {
  if (await answers()) return true;
  mkdirSync(join(root, '.build'), { recursive: true });
  const options = { stdin: 'ignore', reject: false, timeout: 240_000 };
  const made = await execa('python3', ['-m', 'venv', home], options);
  if (!made.failed) {
    const flags = ['--quiet', '--no-input', '--disable-pip-version-check'];
    await execa(python, ['-m', 'pip', 'install', ...flags, `moto[server]==${VERSION}`], options);
  }
  if (await answers()) return true;
  // Half an environment would be taken for a whole one.
  rmSync(home, { recursive: true, force: true });
  return false;
}

export async function startS3() {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const env = { PATH: process.env.PATH, PYTHONUNBUFFERED: '1' };
  const options = { stdin: 'ignore', buffer: false, reject: false, extendEnv: false, env };
  const subprocess = execa(python, ['-c', ONE_AT_A_TIME, '-H', '127.0.0.1', '-p', String(port)], options);
  subprocess.stdout.resume();
  subprocess.stderr.resume();
  let isOver = false;
  void subprocess.then(() => {
    isOver = true;
  });
  const end = async () => {
    subprocess.kill('SIGKILL');
    await subprocess;
  };
  const deadline = Date.now() + START_MS;
  for (;;) {
    const isThere = await fetch(`${url}/moto-api/`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isThere) break;
    if (!isOver && Date.now() < deadline) {
      await sleep(50);
      continue;
    }
    await end();
    throw new Error(`moto_server did not answer at ${url}`);
  }
  return {
    port,
    url,
    get pid() {
      return subprocess.pid;
    },
    /** Ends it, with everything in it. */
    stop: end,
  };
}

async function answers() {
  if (!existsSync(program)) return false;
  const { failed } = await execa(program, ['--help'], { reject: false, stdin: 'ignore' });
  return !failed;
}
