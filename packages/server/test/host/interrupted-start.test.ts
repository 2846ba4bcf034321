import { spawn } from 'node:child_process';
import { expect, test } from 'vitest';
import { InMemoryEventLog } from '../../src/events/memory-event-log.js';
import type { SessionHostOptions } from '../../src/host/host-options.js';
import { ask, cliFor, hostOn, NONE, newKey, turnOf } from '../helpers/hosts.js';
import { tempFolder } from '../helpers/temp-folder.js';

/** A Claude Code that never answers `initialize`. */
const spawnClaudeCodeProcess = () => spawn(process.execPath, ['-e', 'process.stdin.resume()']);

function deafHost(limits: SessionHostOptions['limits'] = {}) {
  const optionsFor = () => ({ spawnClaudeCodeProcess, env: { CLAUDE_CONFIG_DIR: tempFolder() } });
  return hostOn(cliFor(NONE), { limits: { interruptMs: 1, ...limits }, optionsFor });
}

async function startingTurn(host: ReturnType<typeof deafHost>) {
  const key = await newKey(host);
  const sent = host.send({ ...key, text: 'Go' }).catch((error: unknown) => error);
  await expect.poll(() => host.metrics().processes).toBe(1);
  return { key, sent };
}

const isQuiet = { processes: 0, waiting: 0, conversations: { cold: 0, starting: 0, busy: 0, idle: 0 } };

test('an interrupt ends a process that never starts, and the message is refused', async () => {
  const host = deafHost();
  const { key, sent } = await startingTurn(host);
  expect(await host.interrupt(key)).toBe(true);
  expect(await sent).toMatchObject({ code: 'conflict', message: /interrupted before/ });
  await expect.poll(() => host.metrics()).toMatchObject(isQuiet);
  expect(await host.interrupt(key)).toBe(false);
});

test('a conversation whose process never starts can be removed', async () => {
  const host = deafHost();
  const { key, sent } = await startingTurn(host);
  await host.remove(key);
  expect(await sent).toMatchObject({ code: 'conflict' });
  expect(await host.list(key)).toEqual({ conversations: [] });
  await expect.poll(() => host.metrics()).toMatchObject(isQuiet);
});

test('a start takes `turnMs` at most', async () => {
  const host = deafHost({ turnMs: 300 });
  const key = await newKey(host);
  await expect(host.send({ ...key, text: 'Go' })).rejects.toMatchObject({ code: 'start_failed', message: /turnMs/ });
  await expect.poll(() => host.metrics()).toMatchObject(isQuiet);
});

test('an interrupt ends the wait for a process', async () => {
  const host = deafHost({ processes: 1 });
  const first = await startingTurn(host);
  const key = await newKey(host, 'bob');
  const sent = host.send({ ...key, text: 'Go' }).catch((error: unknown) => error);
  await expect.poll(() => host.metrics().waiting).toBe(1);
  expect(await host.interrupt(key)).toBe(true);
  expect(await sent).toMatchObject({ code: 'conflict' });
  expect(host.metrics().waiting).toBe(0);
  await host.interrupt(first.key);
  await first.sent;
});

test('a spare that never starts does not keep a host from closing', async () => {
  const host = deafHost({ spares: 1 });
  await newKey(host);
  await expect.poll(() => host.metrics().processes).toBe(1);
  await host.close();
  expect(host.metrics().processes).toBe(0);
});

test('a spare that never starts gives way to a message', async () => {
  const cli = cliFor(({ turn }) => [turn('Yes.', 'Go')]);
  const env = { CLAUDE_CONFIG_DIR: tempFolder() };
  let isFirst = true;
  const optionsFor = () => {
    const options = isFirst ? { spawnClaudeCodeProcess, env } : { ...cli.options, env };
    isFirst = false;
    return options;
  };
  const host = hostOn(cli, { limits: { processes: 1, spares: 1 }, optionsFor });
  const key = await newKey(host);
  await expect.poll(() => host.metrics().processes).toBe(1);
  expect(await ask(host, key, 'Go')).toBe('completed');
  expect(host.metrics()).toMatchObject({ sparesUsed: 0, evicted: 1 });
});

test('a host that closes does not give a start the time that an interrupted turn has', async () => {
  const host = deafHost({ interruptMs: 60_000 });
  const { sent } = await startingTurn(host);
  await host.close();
  expect(await sent).toMatchObject({ code: 'draining' });
  expect(host.metrics()).toMatchObject(isQuiet);
});

test('an interrupt while the message is stored ends the turn that it begins', async () => {
  const cli = cliFor(({ prompt, expectRequest, init, errorResult }) => [
    ...[prompt('Go'), expectRequest('interrupt'), init()],
    errorResult('error_during_execution', [], { terminal_reason: 'aborted_streaming' }),
  ]);
  const eventLog = new InMemoryEventLog();
  const { append } = eventLog;
  let interrupted: Promise<boolean> | undefined;
  const host = hostOn(cli, { eventLog });
  const key = await newKey(host);
  eventLog.append = async (...args) => {
    interrupted ??= host.interrupt(key);
    await interrupted;
    return await append.apply(eventLog, args);
  };
  const { eventId } = await host.send({ ...key, text: 'Go' });
  expect(await interrupted).toBe(true);
  expect((await turnOf(host, key, eventId)).at(-1)?.event).toMatchObject({ outcome: 'interrupted' });
});
