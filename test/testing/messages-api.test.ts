import { existsSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { messagesApi, ScriptError } from '../../src/testing/index.js';

test('answers a model call, and says what was asked', async () => {
  await using api = await messagesApi(['Hello.']);
  const response = await fetch(`${api.url}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    // Calls that offer no tools are the CLI's small side calls, and take no turn.
    body: JSON.stringify({ model: 'm', max_tokens: 10, messages: [], tools: [{ name: 'Bash' }] }),
  });
  expect(await response.json()).toMatchObject({ content: [{ type: 'text', text: 'Hello.' }] });
  expect(api.requests).toMatchObject([{ path: '/v1/messages', body: { model: 'm' } }]);
  expect(api.remainingTurns).toBe(0);
});

test('the environment leads to it, and nowhere else', async () => {
  vi.stubEnv('ANTHROPIC_AUTH_TOKEN', 'mine');
  vi.stubEnv('CLAUDE_CODE_USE_BEDROCK', '1');
  vi.stubEnv('CLAUDECODE', '1');
  vi.stubEnv('KEPT', 'yes');
  const api = await messagesApi({ turns: [], fallback: 'Later.' });
  vi.unstubAllEnvs();
  expect(api.env).toMatchObject({
    ANTHROPIC_BASE_URL: api.url,
    ANTHROPIC_API_KEY: 'sk-ant-made-up',
    KEPT: 'yes',
    PATH: process.env.PATH,
  });
  const strange = Object.keys(api.env).filter((name) => /TOKEN$|BEDROCK|CLAUDECODE/.test(name));
  expect(strange).toEqual([]);
  const folder = api.env.CLAUDE_CONFIG_DIR ?? '';
  expect(existsSync(folder)).toBe(true);
  await api.close();
  await api.close();
  expect(existsSync(folder)).toBe(false);
});

const MAIN = JSON.stringify({ model: 'm', max_tokens: 10, messages: [], tools: [{ name: 'Bash' }] });
const ask = (url: string) => fetch(`${url}/v1/messages`, { method: 'POST', body: MAIN });

/** What `close()` says when the model was asked so often. */
async function problemsAfter(calls: number, turns: Parameters<typeof messagesApi>[0]): Promise<readonly string[]> {
  const api = await messagesApi(turns);
  for (let call = 0; call < calls; call += 1) await ask(api.url);
  try {
    await api.close();
    return [];
  } catch (error) {
    expect(error).toBeInstanceOf(ScriptError);
    await api.close();
    return (error as ScriptError).problems.map(({ message }) => message);
  }
}

test.each<[string, number, Parameters<typeof messagesApi>[0], readonly string[]]>([
  ['as written', 2, ['a', { text: 'b', pings: 0 }], []],
  ['one that may be repeated for ever, once', 1, [{ text: 'a', times: Infinity }], []],
  [
    'one that is repeated, fewer times',
    1,
    [{ error: { status: 529 }, times: 3 }],
    ['turns[0] (2 of 3 times) was never asked for'],
  ],
  ['more often than written, with a fallback', 2, { turns: ['a'], fallback: 'b' }, []],
  ['any way, when it is not strict', 0, { turns: ['a'], strict: false }, []],
  [
    'less often than written',
    1,
    ['a', 'b', { hang: true }],
    ['turns[1] was never asked for', 'turns[2] was never asked for'],
  ],
  [
    'not at all, by a turn that fits nothing',
    1,
    [{ text: 'a', when: () => false }, 'b'],
    ['turns[0] was never asked for'],
  ],
  ['more often than written', 2, ['a'], [expect.stringContaining('request 2 came behind the last of 1 turns')]],
  ['more often than none', 1, [], [expect.stringContaining('behind the last of 0 turns')]],
  [
    'of a function that throws',
    1,
    [
      () => {
        throw new Error('Oops.');
      },
    ],
    [expect.stringContaining('request 1: Oops.')],
  ],
  ['of a function that gives nothing', 1, [() => undefined as never], [expect.stringContaining('turns[0]()')]],
  [
    'of a function that gives a misspelt turn',
    1,
    [() => ({ txt: 'a' }) as never],
    [expect.stringContaining('turns[0]()')],
  ],
])('close() judges what was asked: %s', async (_, calls, turns, problems) => {
  expect(await problemsAfter(calls, turns)).toEqual(problems);
});

test.each<[string, unknown, string]>([
  ['a misspelt kind', { txt: 'a' }, 'turns[0]'],
  ['two kinds', { text: 'a', raw: 'b' }, 'turns[0]'],
  ['a misspelt field', { text: 'a', stop_reason: 'x' }, 'turns[0].stop_reason'],
  ['a field of another kind', { raw: 'a', chunkMs: 1 }, 'turns[0].chunkMs'],
  ['a text that is none', { text: 7 }, 'turns[0].text'],
  ['blocks that are no list', { blocks: 'a' }, 'turns[0].blocks'],
  ['a misspelt type of block', { blocks: [{ type: 'tool_call', name: 'Bash', input: {} }] }, 'turns[0].blocks[0]'],
  ['a call without input', { blocks: [{ type: 'tool_use', name: 'Bash' }] }, 'turns[0].blocks[0].input'],
  ['a call with a Map', { blocks: [{ type: 'tool_use', name: 'Bash', input: new Map() }] }, 'turns[0].blocks[0].input'],
  [
    'a call with a Date',
    { blocks: [{ type: 'tool_use', name: 'Bash', input: { at: new Date(0) } }] },
    'turns[0].blocks[0].input',
  ],
  ['a misspelt field of a block', { blocks: [{ type: 'text', txt: 'a' }] }, 'turns[0].blocks[0].txt'],
  ['an error without a status', { error: { type: 'x' } }, 'turns[0].error'],
  [
    'a raw input that is no text',
    { blocks: [{ type: 'tool_use', name: 'Bash', input: {}, rawInput: 5 }] },
    'turns[0].blocks[0].rawInput',
  ],
  [
    'an id that is no text',
    { blocks: [{ type: 'tool_use', name: 'Bash', input: {}, id: 5 }] },
    'turns[0].blocks[0].id',
  ],
  [
    'a signature that is no text',
    { blocks: [{ type: 'thinking', thinking: '', signature: 5 }] },
    'turns[0].blocks[0].signature',
  ],
  ['an error event that is a text', { text: 'a', sseError: 'overloaded_error' }, 'turns[0].sseError'],
  ['a misspelt error event', { text: 'a', sseError: { typ: 'x', message: 'y' } }, 'turns[0].sseError.typ'],
  ['an error event without a message', { text: 'a', sseError: { type: 'x' } }, 'turns[0].sseError.message'],
  ['a misspelt reason to stop', { text: 'a', stopReason: 'end_trun' }, 'turns[0].stopReason'],
  ['a cut that is a text', { text: 'a', truncate: 'yes' }, 'turns[0].truncate'],
  ['an error with the status of a success', { error: { status: 200 } }, 'turns[0].error.status'],
  ['an error with no status of HTTP', { error: { status: 999 } }, 'turns[0].error.status'],
  ['an error whose message is no text', { error: { status: 500, message: 5 } }, 'turns[0].error.message'],
  ['a status that is none', { raw: 'a', status: '200' }, 'turns[0].status'],
  ['a turn for no time', { text: 'a', times: 0 }, 'turns[0].times'],
  ['a condition that is no function', { text: 'a', when: true }, 'turns[0].when'],
  ['a negative pause', { text: 'a', chunkMs: -1 }, 'turns[0].chunkMs'],
  ['a pause without end', { text: 'a', delayMs: Infinity }, 'turns[0].delayMs'],
  ['a size of nothing', { text: 'a', chunkSize: 0 }, 'turns[0].chunkSize'],
  ['a header that is no text', { text: 'a', headers: { 'retry-after': 5 } }, 'turns[0].headers["retry-after"]'],
  ['a usage that is no object', { text: 'a', usage: 5 }, 'turns[0].usage'],
  ['a model that is no text', { text: 'a', model: 5 }, 'turns[0].model'],
  ['a number', 7, 'turns[0]'],
])('%s is refused at once', async (_, turn, option) => {
  await expect(messagesApi([turn as never])).rejects.toMatchObject({ name: 'InvalidOptionError', option });
  await expect(messagesApi({ turns: [], fallback: turn as never })).rejects.toThrow('`fallback');
});

test('options stand beside the turns too, and misspelt ones are refused', async () => {
  const api = await messagesApi(['Never asked for.'], { strict: false });
  await api.close();
  const misspelt = messagesApi(['x'], { stict: false } as object);
  await expect(misspelt).rejects.toThrow('messagesApi() knows no `stict`. It knows turns, side');
  const inOne = messagesApi({ turns: ['x'], fallbck: 'y' } as object as { turns: [] });
  await expect(inOne).rejects.toThrow('knows no `fallbck`');
  for (const [option, value] of Object.entries({
    strict: 'no',
    onEvent: 1,
    countTokens: 1,
    port: 70_000,
    maxRequests: 'x',
  })) {
    await expect(messagesApi(['x'], { [option]: value })).rejects.toMatchObject({ name: 'InvalidOptionError', option });
  }
});
