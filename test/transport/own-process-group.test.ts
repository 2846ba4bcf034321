import { afterEach, describe, expect, test } from 'vitest';
import { closeStarted, fixtureSpec, startFixture } from './support.js';

afterEach(closeStarted);

/** A leader with a child that ignores SIGTERM, holds the leader's stdout, and announces itself with a frame. */
const LEADER = `
  const child = \`process.on('SIGTERM', () => {}); console.log('{"type":"child","pid":' + process.pid + '}'); setInterval(() => {}, 1e6)\`;
  require('node:child_process').spawn(process.execPath, ['-e', child], { stdio: ['ignore', 'inherit', 'ignore'] });
  setInterval(() => {}, 1e6);
`;

async function startLeader() {
  const { file } = fixtureSpec('');
  const run = startFixture('', [], { file, args: ['-e', LEADER], ownProcessGroup: true });
  const { pid } = await run.receiver.frame(({ type }) => type === 'child');
  return { ...run, childPid: Number(pid) };
}

async function gone(pid: number): Promise<void> {
  await expect.poll(() => isThere(pid)).toBe(false);
}

/** Also true for every member of a group, when `pid` is negative. */
function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe.skipIf(process.platform === 'win32')('a process group of its own', () => {
  test.each([true, false])('ownProcessGroup: %s', async (ownProcessGroup) => {
    const { transport, receiver } = startFixture('ignores-eof', [], { ownProcessGroup });
    await receiver.frame(({ type }) => type === 'ready');
    expect(isThere(-(transport.pid ?? 0))).toBe(ownProcessGroup);
  });

  test('SIGKILL at the end of the ladder is for the whole group', async () => {
    const { transport, receiver, childPid } = await startLeader();
    await transport.close({ sigkillMs: 0 });
    expect((await receiver.end).exit).toMatchObject({ signal: 'SIGKILL' });
    await gone(childPid);
  });

  test('a leader that dies by a signal leaves no child in its group', async () => {
    const { transport, receiver, childPid } = await startLeader();
    await transport.close({ sigtermMs: 0 });
    expect((await receiver.end).exit).toMatchObject({ signal: 'SIGTERM' });
    await gone(childPid);
  });

  test('SIGTERM is for the leader alone, which ends its own children', async () => {
    const { transport, receiver } = startFixture('', [], {
      args: ['-e', TELLS_SIGTERM, TELLS_SIGTERM],
      ownProcessGroup: true,
    });
    await receiver.frame(({ type }) => type === 'ready');
    await transport.close({ sigtermMs: 0 });
    expect((await receiver.end).exit).toMatchObject({ exitCode: 143 });
    expect(receiver.frames).not.toContainEqual({ type: 'child was told' });
  });

  test('a leader that exits by itself keeps what it left behind', async () => {
    const { receiver } = startFixture('grandchild-holds-stdout', [], { ownProcessGroup: true });
    const { pid } = await receiver.frame(({ type }) => type === 'left');
    await receiver.end;
    expect(isThere(Number(pid))).toBe(true);
    process.kill(Number(pid), 'SIGKILL');
  });
});

/** Leader and child in one: the leader exits with 143 on SIGTERM, once its child has had time to say that it was told. */
const TELLS_SIGTERM = `
  const [code] = process.argv.slice(1);
  const say = (type) => console.log(JSON.stringify({ type }));
  if (code === undefined) {
    process.on('SIGTERM', () => say('child was told'));
    process.stdin.resume().on('end', () => process.exit(0));
    say('ready');
  } else {
    const child = require('node:child_process').spawn(process.execPath, ['-e', code], { stdio: ['pipe', 'inherit', 'ignore'] });
    process.on('SIGTERM', () => child.on('exit', () => process.exit(143)).stdin.end());
  }
`;
