import { expect, test } from 'vitest';
import { ClaudeClient, query } from '../../src/index.js';
import { type Frames, replayTransport, ScriptError, type ScriptItem } from '../../src/testing/index.js';
import { collect } from './collect.js';

test('a script is replayed without a process', async () => {
  await using transport = replayTransport(({ turn }) => turn('Hello.', 'Hi'));
  const { outcome } = await collect(query({ prompt: 'Hi', options: { transport } }));
  expect(outcome).toMatchObject({ kind: 'completed', message: 'Hello.' });
  expect(transport.sent.prompts).toEqual(['Hi']);
});

test('a scenario file is replayed to a client', async () => {
  const file = new URL('../../packages/cli/src/demo/sessions/hello.jsonl', import.meta.url);
  await using transport = replayTransport(file);
  await using client = new ClaudeClient({ transport });
  await client.connect('Say hello.');
  expect((await collect(client.receiveResponse())).outcome.kind).toBe('completed');
});

test('permissions go both ways', async () => {
  await using transport = replayTransport(({ prompt, init, permission, result }) => [
    prompt(),
    init(),
    permission('Bash', { command: 'ls' }, { expect: 'allow' }),
    result('Done.'),
  ]);
  const canUseTool = async () => ({ behavior: 'allow' as const });
  await collect(query({ prompt: 'Go.', options: { transport, canUseTool } }));
  expect(transport.sent.permissionAnswers).toMatchObject([{ toolName: 'Bash', behavior: 'allow' }]);
});

const faultCases: { name: string; script: (frames: Frames) => ScriptItem; outcome: object }[] = [
  {
    name: 'a crash',
    script: ({ prompt, outcome }) => [prompt(), outcome.crashed({ exitCode: 9, stderr: 'Oh.' })],
    outcome: { kind: 'crashed', exitCode: 9, stderrTail: 'Oh.' },
  },
  {
    name: 'torn bytes and garbage',
    script: ({ prompt, init, result, faults }) => [prompt(), init(), faults.garbage(), faults.split(result('世界'))],
    outcome: { kind: 'completed', message: '世界' },
  },
  {
    name: 'an error result',
    script: ({ prompt, outcome }) => [prompt(), outcome.maxTurns()],
    outcome: { kind: 'max_turns' },
  },
];

test.each(faultCases)('$name comes through', async ({ script, outcome }) => {
  await using transport = replayTransport(script);
  const run = await collect(query({ prompt: 'Go.', options: { transport } }));
  expect(run.outcome).toMatchObject(outcome);
});

test('what was not played is a problem', async () => {
  const transport = replayTransport(({ turn }) => [turn('1'), turn('2')]);
  await collect(query({ prompt: 'Go.', options: { transport } }));
  await expect(transport.verify()).rejects.toThrow('the script was not used up');
  await expect(replayTransport(({ turn }) => turn('1')).verify()).rejects.toBeInstanceOf(ScriptError);
});

test('a run that is left early closes it', async () => {
  await using transport = replayTransport(({ prompt, init, faults }) => [prompt(), init(), faults.stall()]);
  for await (const message of query({ prompt: 'Go.', options: { transport } })) {
    expect(message.type).toBe('system');
    break;
  }
});
