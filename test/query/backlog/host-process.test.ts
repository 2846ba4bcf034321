import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

/** Without a name, a file shows only here. */
const HAS_PROC = process.platform === 'linux';

let folder: string;
let host: string;
let temp: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'claudewire-test-'));
  temp = mkdtempSync(join(folder, 'temp-'));
  host = join(folder, 'host.mjs');
  const source = fileURLToPath(new URL('../../../src/query/', import.meta.url));
  buildSync({
    stdin: {
      contents: `
        import { readdirSync, readlinkSync } from 'node:fs';
        import { MessageQueue } from '${source}message-queue.ts';

        const line = JSON.stringify({ text: 'x'.repeat(100_000) });
        let queue = new MessageQueue({
          maxSpooledBytes: Infinity, onTaken() {}, onSpooled() {}, onBusy() {},
          onFailed(error) {
            if (process.argv[2] !== 'full') throw error;
            queue.end(error);
            void drain();
          },
        });
        async function drain() {
          let count = 0;
          try {
            while (!(await queue.next()).done) count += 1;
          } catch (error) {
            process.stdout.write(count + ' messages, then ' + error.name + ' ' + error.code);
            process.exit(0);
          }
        }
        for (let n = 0; n < 600; n += 1) queue.push(JSON.parse(line), line.length, line);
        const files = () => readdirSync('/proc/self/fd').flatMap((fd) => {
          try { return [readlinkSync('/proc/self/fd/' + fd)]; } catch { return []; }
        }).filter((name) => name.includes('claudewire-') && name.endsWith('(deleted)'));
        const until = async (condition) => {
          while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
        };
        // The folder goes a moment after the name of its file.
        await until(() => files().length > 0 && readdirSync(process.env.TMPDIR).length === 0);
        process.stdout.write('spooled\\n');
        if (process.argv[2] === 'forget') {
          queue = undefined;
          await until(() => { globalThis.gc(); return files().length === 0; });
          process.stdout.write('closed\\n');
        } else {
          setInterval(() => {}, 60_000);
        }`,
      resolveDir: source,
      loader: 'ts',
    },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: host,
  });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function start(args: readonly string[], nodeArgs: readonly string[] = []) {
  return run(process.execPath, [...nodeArgs, host, ...args]);
}

function run(file: string, args: readonly string[]) {
  const child = spawn(file, args, { env: { ...process.env, TMPDIR: temp }, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  const listeners: (() => void)[] = [];
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    for (const listener of listeners) listener();
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const says = (text: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const check = (): void => {
        if (output.includes(text)) resolve();
      };
      listeners.push(check);
      check();
      void exited.then(() => reject(new Error(`The host ended: ${output}`)));
    });
  return { child, exited, says };
}

/** Both folders for temporary files are 4 MiB, in a mount namespace of its own. */
const SMALL_DISKS =
  'mount -t tmpfs -o size=4m none "$TMPDIR" && mount -t tmpfs -o size=4m none /var/tmp && exec "$0" "$1" full';
const CAN_MOUNT = spawnSync('unshare', ['-rm', 'true']).status === 0;

test.skipIf(!CAN_MOUNT)(
  'a disk that is full: all messages, then a SpoolError (only where it can mount) (C-4)',
  async () => {
    const { says } = run('unshare', ['-rm', 'sh', '-c', SMALL_DISKS, process.execPath, host]);
    await says('600 messages, then SpoolError ENOSPC');
  },
);

describe.skipIf(!HAS_PROC)('the file of a host process (only where there is /proc)', () => {
  test('has no name while it is used, and is gone with a host that is killed', async () => {
    const { child, exited, says } = start(['stay']);
    await says('spooled');
    expect(readdirSync(temp)).toEqual([]);
    const open = readdirSync(`/proc/${child.pid}/fd`).map((fd) => readlinkSync(`/proc/${child.pid}/fd/${fd}`));
    expect(open.filter((name) => name.startsWith(temp) && name.endsWith('(deleted)'))).toHaveLength(1);
    child.kill('SIGKILL');
    await exited;
    expect(readdirSync(temp)).toEqual([]);
  });

  test('is closed when the program has dropped the queue', async () => {
    const { exited, says } = start(['forget'], ['--expose-gc']);
    await says('closed');
    expect(await exited).toBe(0);
  });
});
