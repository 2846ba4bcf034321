/**
 * A Redis server of its own on a free port of the loopback interface, in a new folder, for tests, benches and examples.
 * REDIS_SERVER names another executable than the one on PATH. As root it installs Debian's package where there is none.
 */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { execa } from 'execa';

const READY = /Ready to accept connections/;

/** Whether there is a Redis server on this machine, after an attempt to install one as root. */
export async function haveRedis() {
  if (await answers()) return true;
  if (process.getuid?.() !== 0) return false;
  await execa('apt-get', ['update', '-qq'], { reject: false });
  await execa('apt-get', ['install', '-y', '-qq', 'redis-server'], { reject: false });
  return answers();
}

export async function startRedis({ args = [] } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'claudewire-redis-'));
  const port = await freePort();
  let { subprocess } = await start();

  async function start() {
    const fixed = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder, '--daemonize', 'no'];
    const durable = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', ''];
    const started = execa(executable(), [...fixed, ...durable, ...args], {
      reject: false,
      stdin: 'ignore',
      buffer: false,
    });
    const lines = [];
    for await (const line of createInterface({ input: started.stdout })) {
      lines.push(line);
      if (READY.test(line)) {
        started.stdout.resume();
        // Not the subprocess itself, which is a promise of its end.
        return { subprocess: started };
      }
    }
    throw new Error(`redis-server did not start:\n${lines.join('\n')}`);
  }

  async function end(signal) {
    subprocess.kill(signal);
    await subprocess;
  }

  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    folder,
    get pid() {
      return subprocess.pid;
    },
    /** Ends it with SIGKILL, as a crash does. What it had acknowledged is on the disk. */
    kill: () => end('SIGKILL'),
    /** Starts it again on the same port, with what is on the disk. */
    async start() {
      ({ subprocess } = await start());
    },
    /** Ends it and removes its folder. */
    async stop() {
      await end('SIGTERM');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function executable() {
  return process.env.REDIS_SERVER ?? 'redis-server';
}

async function answers() {
  const { failed } = await execa(executable(), ['--version'], { reject: false });
  return !failed;
}

/** @returns {Promise<number>} a port of 127.0.0.1 that was free a moment ago */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}
