import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { endProcessesOf } from '../../../src/adapter/isolation/end-processes.js';
import { sweepHomes } from '../../../src/adapter/isolation/remove-homes.js';
import { ownDirectoryPrefix } from '../../../src/util/stale-directories.js';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

async function running(env: Readonly<Record<string, string>>): Promise<ChildProcess> {
  const script = 'process.stdout.write("up"); setInterval(() => {}, 60_000);';
  const child = spawn(process.execPath, ['-e', script], { env, stdio: ['ignore', 'pipe', 'ignore'] });
  children.push(child);
  await once(child.stdout ?? child, 'data');
  return child;
}

test.runIf(process.platform === 'linux')(
  'what runs in a home that is done with is ended, and nothing else (Linux only) (I-9)',
  async () => {
    const homes = ['/tmp/of-nobody-1', '/tmp/of-nobody-2'] as const;
    const [byHome, byTemp, other, longer] = await Promise.all([
      running({ HOME: homes[0] }),
      running({ TMPDIR: `${homes[1]}/tmp` }),
      running({ HOME: '/tmp/of-nobody-3' }),
      running({ HOME: `${homes[0]}/below`, X: `HOME=${homes[0]}` }),
    ]);
    const ended = [byHome, byTemp].map((child) => once(child, 'exit'));
    await Promise.all(homes.map(endProcessesOf));
    expect(await Promise.all(ended)).toEqual([
      [null, 'SIGKILL'],
      [null, 'SIGKILL'],
    ]);
    expect([other.exitCode, other.signalCode, longer.exitCode, longer.signalCode]).toEqual([
      ...[null, null, null, null],
    ]);
    await endProcessesOf('/tmp/of-nobody-3');
  },
);

test.runIf(process.platform === 'linux')(
  'what still runs in the home of a killed host is ended with it (Linux only) (I-9)',
  async () => {
    const tempRoot = mkdtempSync(join(tmpdir(), 'cw-swept-'));
    try {
      const prefix = 'claude-agent-';
      const mine = `${ownDirectoryPrefix(prefix)}abcdef`;
      // As if its process had been another one, which has ended.
      const name = mine.replace(`-${process.pid.toString(36)}-`, `-${(0x7ffffff).toString(36)}-`);
      expect(name).not.toBe(mine);
      const [stale, alive] = [join(tempRoot, name), join(tempRoot, mine)];
      for (const home of [stale, alive]) mkdirSync(home);
      const [left, other] = await Promise.all([running({ HOME: stale }), running({ HOME: alive })]);
      await sweepHomes(tempRoot, prefix);
      await expect.poll(() => left.signalCode).toBe('SIGKILL');
      expect(other.signalCode).toBe(null);
      expect([existsSync(stale), existsSync(alive)]).toEqual([false, true]);
    } finally {
      rmSync(tempRoot, { recursive: true, force: true });
    }
  },
);
