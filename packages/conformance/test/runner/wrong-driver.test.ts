import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { DriverFault } from '../../src/driver/driver-protocol.js';
import type { ScenarioStatus } from '../../src/runner/results.js';
import { FAST, HELLO, playWith, playWrong, startDriver, WRONG_DRIVER } from './helpers.js';

/** What the runner says to a driver that is wrong in one way. */
const cases: readonly [mode: string, status: ScenarioStatus, said: RegExp][] = [
  ['ok', 'passed', /^$/],
  ['malformed', 'driver_error', /wrote a line that is no JSON object: \{"id":1,$/],
  ['bad-reply', 'driver_error', /wrote \{"id":1,"result":null,"error".*must match exactly one schema/],
  ['bad-kind', 'driver_error', /error\.kind must be equal to one of the allowed values.*"aborted"/],
  ['bad-event', 'driver_error', /what must be equal to one of the allowed values/],
  ['wrong-id', 'driver_error', /answered a command that is not open: \{"id":999,"result":null\}/],
  ['hello-twice', 'driver_error', /said hello twice/],
  ['answers-twice', 'driver_error', /answered a command that is not open: \{"id":1,"result":null\}/],
  ['exits', 'driver_error', /ended by itself \(exit code 7\)\n {2}its stderr: boom/],
  ['exits-before-its-child', 'driver_error', /ended by itself \(exit code 7\)\n {2}its stderr: boom/],
  ['no-newline', 'driver_error', /ended by itself \(exit code 0\); its last line had no newline: \{"id":1,"result"/],
  ['unsupported', 'unsupported', /^start \(hello:1\): this SDK has no query$/],
  ['no-features', 'unsupported', /^needs query$/],
  ['fails', 'failed', /start \(hello:1\) failed\n {2}got: LaunchError \(launch\): no such thing/],
  ['lies', 'failed', /expected 1 CLI processes, found 0/],
  ['never-answers', 'failed', /not observed: message result within 2000 ms[\s\S]*not answered: start \(hello:1\)/],
  [
    'changes-messages',
    'failed',
    /not observed: message result; the loop is over[\s\S]*message\.result: expected string "Hi\.", found string "Bye\."/,
  ],
  [
    'writes-wrong',
    'failed',
    /an expected frame did not come[\s\S]*message\.role: expected string "user", found string "assistant"/,
  ],
  ['never-finishes', 'failed', /the run was not over 2000 ms after "finish"/],
  ['leaves-cli', 'failed', /left a process behind: 1 CLI still ran/],
];

/** Nothing happens until the time is up. */
const WAITING = ['never-answers', 'never-finishes', 'writes-wrong', 'leaves-cli'];

describe('what the runner says to a driver that', () => {
  test.for(cases)('%s: %s', async ([mode, status, said]) => {
    const result = await playWrong(mode, HELLO, { features: ['query'] }, {}, WAITING.includes(mode) ? FAST : 1);
    expect(`${result.details ?? result.reason ?? ''}`).toMatch(said);
    expect(result.status).toBe(status);
  });

  test('fails has its words on stderr in the result, without secrets and those of the scenario before', async () => {
    const driver = await startDriver([WRONG_DRIVER, 'fails']);
    for (const _ of [1, 2]) {
      const { status, stderr } = await playWith(driver, HELLO, { features: ['query'] });
      expect([status, stderr]).toEqual(['failed', 'Traceback:\n  a reader died with [secret]']);
    }
  });

  test('writes a line without an end is stopped at the limit', async () => {
    const { status, reason } = await playWrong('long-line', HELLO, {}, { maxLineBytes: 50_000 });
    expect([status, reason]).toEqual(['driver_error', 'the driver wrote a line of more than 50000 bytes']);
  });

  test('floods the runner with events is stopped at the limit', async () => {
    const { status, reason } = await playWrong('floods', HELLO, {}, { maxScenarioBytes: 100_000 });
    expect([status, reason]).toEqual(['driver_error', 'the driver wrote more than 100000 bytes for one scenario']);
  });

  test.for([
    ['silent', /the driver said no hello within 300 ms/],
    ['talks-first', /wrote a line that is no JSON object: Starting up\.\.\./],
    ['protocol-2', /protocol must be equal to constant 1/],
  ] as const)('%s is no driver', async ([mode, said]) => {
    const start = startDriver([WRONG_DRIVER, mode], { helloTimeoutMs: mode === 'silent' ? 300 : 5_000 });
    await expect(start).rejects.toThrow(said);
    await expect(start).rejects.toBeInstanceOf(DriverFault);
  });

  test('does not exist is no driver', async () => {
    const start = startDriver([], { command: ['/does/not/exist'] });
    await expect(start).rejects.toThrow(/the driver could not be started: .*ENOENT/);
  });

  test('leaves a program of its own behind is ended with it', async () => {
    const file = join(folder(), 'pid');
    const driver = await startDriver([WRONG_DRIVER, 'leaves-child', file]);
    expect((await playWith(driver, HELLO)).status).toBe('passed');
    expect(existsSync(file)).toBe(true);
    const pid = Number(readFileSync(file, 'utf8'));
    expect(isAlive(pid)).toBe(true);
    await driver.close();
    // The kernel takes a moment to let go of a process that nobody waits for.
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  test('never reads its input is ended all the same', async () => {
    const file = join(folder(), 'pid');
    const driver = await startDriver([WRONG_DRIVER, 'never-reads', file]);
    await expect.poll(() => existsSync(file)).toBe(true);
    await driver.close();
    await driver.close();
    await expect.poll(() => isAlive(Number(readFileSync(file, 'utf8')))).toBe(false);
  });
});

/** Removed with the test. */
function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'claudewire-test-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  return dir;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    // A zombie is gone for everybody but its parent.
    return !/\nState:\tZ/.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
