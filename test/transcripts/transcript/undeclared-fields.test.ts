import { describe, expect, test } from 'vitest';
import type { TranscriptEntry } from '../../../src/transcripts/transcript/entry.js';
import { messagesIn } from '../../../src/transcripts/transcript/main-chain.js';
import type { JsonObject } from '../../../src/util/json.js';

type Entry = JsonObject & { readonly type: string };

/** Entries in one line, each the parent of the next. */
function line(...entries: readonly Entry[]): TranscriptEntry[] {
  return entries.map((entry, index) => ({
    uuid: `u${index}`,
    parentUuid: index === 0 ? null : `u${index - 1}`,
    sessionId: 's',
    isSidechain: false,
    timestamp: `2026-01-01T00:00:0${index}.000Z`,
    ...entry,
  }));
}

const user = (content: unknown, more: JsonObject = {}): Entry => ({
  type: 'user',
  message: { role: 'user', content },
  ...more,
});
const assistant = (...content: readonly JsonObject[]): Entry => ({
  type: 'assistant',
  message: { role: 'assistant', id: 'm', content },
});

describe('the names and outputs of local commands are marked, in what no declaration tells (TS-182)', () => {
  const note = user('<local-command-caveat>c</local-command-caveat>', { isMeta: true });
  const name = user('<command-name>/foo</command-name>');
  const output = user('<local-command-stdout>Done</local-command-stdout>');
  const error = user('<local-command-stderr>Bad</local-command-stderr>');
  const words = user('Words.');
  const answer = assistant({ type: 'text', text: 'Answer.' });
  const meta = user('For the model.', { isMeta: true });
  const system = { type: 'system', subtype: 'local_command', content: 'Done' };

  test.each<[string, readonly Entry[], readonly boolean[]]>([
    ['name and output', [words, answer, note, name, output], [false, false, true, true]],
    ['a name without output', [note, name], [true]],
    ['several outputs', [note, name, output, error], [true, true, true]],
    ['a system entry between', [note, system, name, system, output], [true, true]],
    ['a meta entry between', [note, meta, name, meta, output], [true, true]],
    ['blocks', [note, user([{ type: 'text', text: '<command-name>/a' }]), output], [true, true]],
    ['no note', [words, answer, name, output], [false, false, false, false]],
    ['another meta entry as the note', [meta, name, output], [false, false]],
    ['the note alone', [note, output], [false]],
    ['an answer after the note', [note, answer, name, output], [false, false, false]],
    ['words before the output', [note, name, words, output], [true, false, false]],
    ['two names', [note, name, name, output], [true, false, false]],
    ['the name not at the start', [note, user('x <command-name>/a'), output], [false, false]],
  ])('%s', (_, entries, marked) => {
    const messages = messagesIn(line(...entries));
    expect(messages.map((message) => 'isCompletedLocalCommand' in message)).toEqual(marked);
  });
});

describe('a call that was not run has its tool_result_meta (TS-182)', () => {
  const result = { type: 'tool_result', tool_use_id: 'a', content: 'x' };
  const call = assistant({ type: 'tool_use', id: 'a', name: 'Bash', input: {} });
  const parents = { parentToolUseId: null, parentAgentId: null };
  const told = [{ id: 'a', non_execution_kind: 'user-rejected' }];

  test.each<[string, unknown, unknown, unknown]>([
    ['one result', [result], 'user-rejected', told],
    ['a result behind a text', [{ type: 'text', text: 'x' }, result], 'user-rejected', told],
    ['two results', [result, { ...result, tool_use_id: 'b' }], 'user-rejected', undefined],
    ['no result', 'No.', 'user-rejected', undefined],
    ['a kind nobody knows', [result], 'weird', undefined],
    ['no kind', [result], undefined, undefined],
    ['no string', [result], 5, undefined],
  ])('%s', (_, content, toolDenialKind, meta) => {
    const entries = line(user('Hi.'), call, user(content, { toolDenialKind }));
    expect(messagesIn(entries).at(-1)).toHaveProperty('uuid', 'u2');
    for (const messages of [messagesIn(entries), messagesIn(entries, { parents })]) {
      expect((messages.at(-1) as object as JsonObject).tool_result_meta).toEqual(meta);
    }
  });
});
