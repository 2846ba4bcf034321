import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Victims } from './attack-table.js';

/** A memory segment, a message queue and a semaphore with one key; `remove` takes them away. */
const IPC = `my ($key, $what) = @ARGV; my @ids = (shmget($key, 64, 01666), msgget($key, 01666), semget($key, 1, 01666));
if ($what eq "remove") { shmctl($ids[0], 0, 0); msgctl($ids[1], 0, 0); semctl($ids[2], 0, 0, 0); } elsif (grep { !defined } @ids) { die "no ipc: $!" }`;

/** What an attack may try to reach on the host, all of it made for the test. */
export async function setVictims(): Promise<{
  readonly victims: Omit<Victims, 'hostHome' | 'tempRoot'>;
  readonly remove: () => void;
}> {
  const outside = mkdtempSync(join(tmpdir(), 'cw-out-'));
  writeFileSync(join(outside, 'secret.txt'), 'not for you');
  mkdirSync(join(outside, 'folder'));
  const key = `0x4357${(process.pid & 0xffff).toString(16).padStart(4, '0')}`;
  const ipc = (what: string) => execFileSync('perl', ['-e', IPC, String(Number(key)), what]);
  ipc('make');
  const child: ChildProcess = spawn('sh', ['-c', 'while :; do sleep 1; done', 'victim-process'], { stdio: 'ignore' });
  const unixSocket = join(outside, 'host.sock');
  const abstractSocket = `cw-victim-${process.pid}`;
  const servers = [createServer(), createServer(), createServer()] as const;
  await Promise.all([
    listen(servers[0], { host: '127.0.0.1', port: 0 }),
    listen(servers[1], { path: unixSocket }),
    listen(servers[2], { path: `\0${abstractSocket}` }),
  ]);
  const address = servers[0].address();
  const tcpPort = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    victims: {
      outside,
      pid: child.pid ?? 0,
      ipc: { memory: key, queue: key, semaphore: key },
      tcpPort,
      unixSocket,
      abstractSocket,
    },
    remove: () => {
      child.kill('SIGKILL');
      for (const server of servers) server.close();
      ipc('remove');
      rmSync(outside, { recursive: true, force: true });
    },
  };
}

function listen(server: Server, where: Parameters<Server['listen']>[0] & object): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(where as { path: string }, resolve);
  });
}

/** The CLI, in a session whose keyring has a key. */
export function withSessionKey(file: string, cli: string): string {
  const code =
    'my ($keyctl, $add) = (uname())[4] eq "aarch64" ? (219, 217) : (250, 248); syscall($keyctl, 1, 0);' +
    'my ($type, $name, $key) = ("user", "cw-host-key", "host-secret"); syscall($add, $type, $name, $key, 11, -3) > 0 or die "no key: $!";' +
    'exec { $ARGV[0] } @ARGV';
  const lines = `#!/bin/sh\nexec perl -MPOSIX=uname -e '${code}' '${cli}' "$@"\n`;
  writeFileSync(file, lines, { mode: 0o755 });
  return file;
}
