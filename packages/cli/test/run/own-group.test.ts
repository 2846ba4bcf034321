import { once } from 'node:events';
import { expect, test } from 'vitest';
import { spawnInOwnGroup } from '../../src/run/own-group.js';

/** Leads the group, and has a child that holds the same pipe and says when it is there. */
const LEADER = `
  const args = ['-e', "process.on('SIGTERM', () => {}); console.log('there'); setInterval(() => {}, 1e6)"];
  require('node:child_process').spawn(process.execPath, args, { stdio: 'inherit' });
  setInterval(() => {}, 1e6);
`;

test.skipIf(process.platform === 'win32').each(['SIGKILL', 'SIGTERM'] as const)(
  'a leader that ends by %s leaves no child behind',
  async (signal) => {
    const { env } = process;
    const child = spawnInOwnGroup({
      command: process.execPath,
      args: ['-e', LEADER],
      env,
      signal: new AbortController().signal,
    });
    await once(child.stdout, 'data');
    const closed = once(child.stdout.resume(), 'close');
    expect(child.kill(signal)).toBe(true);
    // The pipe is open as long as one of them lives.
    await closed;
  },
);
