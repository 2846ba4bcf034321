/**
 * nginx and HAProxy in front of a server on this machine, each with its defaults for buffering, for tests. NGINX and HAPROXY
 * name other executables. As root Debian's packages are installed where they are missing.
 */
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { freePort } from './redis.mjs';

const START_MS = 10_000;
// Debian keeps both where only root looks.
const env = { PATH: `${process.env.PATH}:/usr/sbin` };

/** Whether there is an nginx on this machine. */
export const haveNginx = () => have(process.env.NGINX ?? 'nginx', '-v', 'nginx-light');
/** Whether there is a HAProxy on this machine. */
export const haveHaproxy = () => have(process.env.HAPROXY ?? 'haproxy', '-v', 'haproxy');

async function have(executable, version, debianPackage) {
  const answers = async () => !(await execa(executable, [version], { env, reject: false })).failed;
  if (await answers()) return true;
  if (process.getuid?.() !== 0) return false;
  await execa('apt-get', ['update', '-qq'], { reject: false });
  await execa('apt-get', ['install', '-y', '-qq', debianPackage], { reject: false });
  return answers();
}

/** @param {{ to: number, compresses: boolean }} options - `to`: the port of the server behind it. */
export const startNginx = ({ to, compresses }) =>
  start(process.env.NGINX ?? 'nginx', ({ folder, http1, http2 }) => ({
    config: `
      daemon off; master_process off; pid ${folder}/pid; error_log stderr;
      events {}
      http {
        access_log off;
        ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}
        ${compresses ? 'gzip on; gzip_types *; gzip_proxied any; gzip_min_length 0;' : ''}
        server {
          listen 127.0.0.1:${http1};
          listen 127.0.0.1:${http2} http2;
          location / { proxy_pass http://127.0.0.1:${to}; proxy_http_version 1.1; }
        }
      }`,
    args: (file) => ['-p', folder, '-c', file, '-e', 'stderr'],
  }));

/** @param {{ to: number, compresses: boolean }} options - As {@link startNginx}. */
export const startHaproxy = ({ to, compresses }) =>
  start(process.env.HAPROXY ?? 'haproxy', ({ http1, http2 }) => ({
    config: `
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
frontend front
  bind 127.0.0.1:${http1}
  bind 127.0.0.1:${http2} proto h2
  default_backend back
backend back
  ${compresses ? 'compression algo gzip\n  compression type text/event-stream application/json' : ''}
  server one 127.0.0.1:${to}
`,
    args: (file) => ['-db', '-f', file],
  }));

async function start(executable, describe) {
  const folder = await mkdtemp(join(tmpdir(), 'claudewire-proxy-'));
  const ports = { http1: await freePort(), http2: await freePort() };
  const { config, args } = describe({ folder, ...ports });
  const file = join(folder, 'config');
  await writeFile(file, config);
  const subprocess = execa(executable, args(file), { env, reject: false, stdin: 'ignore', all: true });
  const stop = async () => {
    subprocess.kill('SIGTERM');
    const { all } = await subprocess;
    await rm(folder, { recursive: true, force: true });
    return all;
  };
  const until = Date.now() + START_MS;
  for (const port of Object.values(ports)) {
    while (!(await takesConnections(port))) {
      if (subprocess.exitCode !== null || Date.now() > until)
        throw new Error(`${executable} did not start: ${await stop()}`);
      await sleep(20);
    }
  }
  return { ...ports, stop };
}

async function takesConnections(port) {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
