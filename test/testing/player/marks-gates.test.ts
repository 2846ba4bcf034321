import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { fileAppears } from '../../../src/testing/player/player-folder.js';
import { Launched, text } from './launched.js';

const never = new AbortController().signal;

describe('marks and gates', () => {
  test('a gate holds the play until it is opened, a mark tells that it was passed', async () => {
    const launched = new Launched([{ gate: 'go' }, { out: { n: 1 } }, { mark: 'gone' }]);
    const { folder } = launched.launcher;
    const child = launched.start();
    const output = text(child);
    const marked = fileAppears(folder.markFile('gone'), never);
    folder.openGate('go');
    await marked;
    child.stdin.end();
    expect(await output).toBe('{"n":1}\n');
    expect(launched.verdict()).toMatchObject({ passed: true });
    expect(launched.log().map(({ event }) => event)).toContain('mark');
  });

  test('a gate that is open already holds nothing', async () => {
    const launched = new Launched([{ gate: 'go' }, { gate: 'go' }]);
    launched.launcher.folder.openGate('go');
    expect(await launched.play()).toMatchObject({ passed: true, stepsPlayed: 2 });
  });

  test('a gate that nobody opens fails after its time', async () => {
    const launched = new Launched([{ gate: 'go', timeoutMs: 20 }]);
    const child = launched.start();
    await once(child, 'close');
    expect(launched.verdict()).toMatchObject({
      end: 'deadline',
      failure: { message: 'gate "go" was not opened in 20 ms', line: 1 },
    });
  });

  test('time-outs are multiplied by the launcher’s factor', async () => {
    const launched = new Launched([{ gate: 'go', timeoutMs: 10 }], {}, { timeoutFactor: 3 });
    await once(launched.start(), 'close');
    expect(launched.verdict()?.failure?.message).toBe('gate "go" was not opened in 30 ms');
  });

  test('a file that appears is seen, and an abandoned wait holds nothing', async () => {
    const { folder } = new Launched([]).launcher;
    const abandoned = new AbortController();
    void fileAppears(folder.markFile('never'), abandoned.signal).then(() => expect.unreachable());
    abandoned.abort();
    const seen = fileAppears(folder.markFile('m'), never);
    folder.mark('m');
    await seen;
    folder.mark('never');
  });
});

describe('a process that is killed', () => {
  test('leaves a verdict when it had nothing left to do', async () => {
    const launched = new Launched([{ ignore: ['EOF', 'SIGTERM'] }, { out: { ready: true } }]);
    const child = launched.start();
    const settled = fileAppears(launched.launcher.folder.verdictFile(1), never);
    child.stdin.end();
    await settled;
    child.kill('SIGKILL');
    await once(child, 'close');
    expect(launched.verdict()).toMatchObject({ passed: true, end: 'running', stepsPlayed: 2 });
  });

  test('leaves none when it was in the middle', async () => {
    const launched = new Launched([{ out: { ready: true } }, { wait: 'forever' }]);
    const child = launched.start();
    await once(child.stdout, 'data');
    child.kill('SIGKILL');
    await once(child, 'close');
    expect(launched.verdict()).toBeUndefined();
  });

  test('by SIGTERM in the middle, says which step was not reached', async () => {
    const launched = new Launched([{ out: { ready: true } }, { wait: 'forever' }, { exit: 0 }]);
    const child = launched.start();
    await once(child.stdout, 'data');
    child.kill('SIGTERM');
    await once(child, 'close');
    expect(launched.verdict()).toMatchObject({
      passed: false,
      end: 'signal',
      exitCode: 143,
      failure: { message: 'the process ended with 2 steps to go', line: 2, expected: { wait: 'forever' } },
    });
  });
});
