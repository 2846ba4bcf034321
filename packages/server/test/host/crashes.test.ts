import { faults } from 'claudewire/testing';
import { expect, test } from 'vitest';
import { ask, cliFor, hostOn, newKey } from '../helpers/hosts.js';

// V-12
test('why a process crashed in a turn is told to the operator, with its exit code and stderr', async () => {
  const crashes: unknown[] = [];
  const cli = cliFor(({ prompt, init }) => [
    ...[prompt('1'), init(), faults.crash({ exitCode: 3, stderr: 'Out of memory at line 7' })],
  ]);
  const host = hostOn(cli, { onCrash: (key, error) => void crashes.push([key, error]) });
  const key = await newKey(host);
  expect(await ask(host, key, '1')).toBe('crashed');
  expect(crashes).toMatchObject([[key, { errorClass: 'process_exited_nonzero', exitCode: 3 }]]);
  expect(JSON.stringify(crashes)).toContain('Out of memory at line 7');
});

test('a process that crashes while it waits is told of as well', async () => {
  const crashes: unknown[] = [];
  const cli = cliFor(({ turn }) => [turn('One.', '1'), faults.crash({ exitCode: 4 })]);
  const host = hostOn(cli, { onCrash: (_, error) => void crashes.push(error) });
  const key = await newKey(host);
  await ask(host, key, '1');
  await expect.poll(() => crashes).toMatchObject([{ exitCode: 4 }]);
});

test('a process that the host ends is no crash, and a listener that throws harms nobody', async () => {
  let crashes = 0;
  const cli = cliFor(({ process, turn, prompt, init }) => [
    [process(), turn('One.', '1')],
    [process(), prompt('2'), init(), faults.crash({ exitCode: 1 })],
  ]);
  const host = hostOn(cli, {
    limits: { idleMs: 0 },
    onCrash: () => {
      crashes += 1;
      throw new Error('a log that is down');
    },
  });
  const key = await newKey(host);
  await ask(host, key, '1');
  await expect.poll(() => host.metrics().processes).toBe(0);
  expect(crashes).toBe(0);
  expect(await ask(host, key, '2')).toBe('crashed');
  expect(crashes).toBe(1);
});
