import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { getSubagentMessages, listSubagents } from '../../src/transcripts/session-messages.js';
import { assistant, type Entry, linked, numbers, SESSION, user, useSessionFolder } from './files/session-folder.js';

const folder = useSessionFolder();
const task = [user(1, null, 'task', { isSidechain: true }), assistant(2, 1, 'x')];

function putAgent(name: string, entries: readonly Entry[] | string = task): string {
  const path = join(dirname(folder.path()), SESSION, 'subagents', name);
  mkdirSync(dirname(path), { recursive: true });
  const text = typeof entries === 'string' ? entries : entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');
  writeFileSync(path, text);
  return path;
}

describe('subagents', () => {
  test('are found in nested folders, links and other files aside (TS-182, PY-294)', async () => {
    folder.put([user(1, null, 'hi')]);
    for (const name of ['agent-b.jsonl', 'agent-a.jsonl', 'wf/run/agent-c.jsonl', 'x.jsonl']) {
      putAgent(name);
    }
    const outside = join(folder.base, 'outside');
    mkdirSync(outside);
    writeFileSync(join(outside, 'agent-o.jsonl'), 'x');
    const own = dirname(putAgent('agent-t.txt'));
    symlinkSync(outside, join(own, 'linked'));
    symlinkSync(join(outside, 'agent-o.jsonl'), join(own, 'agent-o.jsonl'));
    expect(await listSubagents(SESSION)).toEqual(['a', 'b', 'c']);
    expect(numbers(await getSubagentMessages(SESSION, 'c'))).toEqual([1, 2]);
    expect(await getSubagentMessages(SESSION, 'o')).toEqual([]);
  });

  test('an id in two folders is listed twice, as the official SDK does (TS-182)', async () => {
    folder.put([user(1, null, 'hi')]);
    for (const name of ['agent-b.jsonl', 'agent-a.jsonl', 'run/agent-a.jsonl']) putAgent(name);
    expect(await listSubagents(SESSION)).toEqual(['a', 'b', 'a']);
  });

  test('their messages say who started them (PY-294)', async () => {
    folder.put([user(1, null, 'hi')]);
    putAgent('agent-a.jsonl');
    const parents = async () =>
      (await getSubagentMessages(SESSION, 'a')).map((message) => [
        message.parent_tool_use_id,
        message.parent_agent_id,
      ])[0];
    expect(await parents()).toEqual([null, null]);
    putAgent('agent-a.meta.json', '{"toolUseId":"toolu_1","parentAgentId":"p"}');
    expect(await parents()).toEqual(['toolu_1', 'p']);
    for (const broken of ['{"toolUseId":5}', 'nope', '[]']) {
      putAgent('agent-a.meta.json', broken);
      expect(await parents()).toEqual([null, null]);
    }
  });

  test('sidechain and meta entries are messages here, and system entries do not cut the chain (TS-182)', async () => {
    folder.put([user(1, null, 'hi')]);
    putAgent('agent-a.jsonl', [
      ...task,
      linked('system', 3, 2, { subtype: 'api_error' }),
      user(4, 3, 'm', { isMeta: true }),
      assistant(5, 4, 'z', { isSidechain: true }),
    ]);
    expect(numbers(await getSubagentMessages(SESSION, 'a'))).toEqual([1, 2, 4, 5]);
    const page = await getSubagentMessages(SESSION, 'a', { limit: 1, offset: 2 });
    expect(numbers(page)).toEqual([4]);
  });

  test.each(['', '..', '../subagents/agent-a', 'wf/agent-a', 'nope'])(
    'the id %j has no messages (TS-182)',
    async (id) => {
      folder.put([user(1, null, 'hi')]);
      putAgent('agent-a.jsonl');
      expect(await getSubagentMessages(SESSION, id)).toEqual([]);
    },
  );

  test('an unknown session has none', async () => {
    expect(await listSubagents(SESSION)).toEqual([]);
    expect(await getSubagentMessages(SESSION, 'a')).toEqual([]);
  });
});
