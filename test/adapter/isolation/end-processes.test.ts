import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { endProcessesOf } from '../../../src/adapter/isolation/end-processes.js';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

async function running(env: Readonly<Record<string, string>>): Promise<ChildProcess> {
  const script = 'process.stdout.write("up"); setInterval(() => {}, 60_000);';
  const child = spawn(process.execPath, ['-e', script], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  children.push(child);
  await once(child.stdout ?? child, 'data');
  return child;
}

test.runIf(process.platform === 'linux')(
  'what runs in a home that is done with is ended, and nothing else (I-9)',
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
