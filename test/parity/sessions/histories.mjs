/**
 * Transcripts as the CLI writes them, made by chance: one entry kind at one position each, in a conversation of turns,
 * dead branches and compactions. The shapes come from runs of the CLI 2.1.330.
 */
import {
  assistant,
  attachment,
  boundary,
  call,
  progress,
  result,
  SESSION,
  summary,
  system,
  user,
  uuid,
} from './entries.mjs';

const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } };
const pdf = { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' } };
const text = (words) => [{ type: 'text', text: words }];
const meta = { isMeta: true };

/** Makers of linked entries: `add(make, ...)` puts one behind the last. */
const one =
  (make, ...rest) =>
  (add) =>
    add(make, ...rest);
const note = (type, fields) => one(attachment, { attachment: { type, ...fields } });
const queued =
  (fields) =>
  (add, { next, below, noteDelivery }) => {
    const sentWith = next() < 0.8 ? uuid(500 + below(6)) : undefined;
    const delivery = next() < 0.6 ? `d${below(6)}` : undefined;
    const attached = { type: 'queued_command', prompt: `Steer ${below(9)}.`, commandMode: 'prompt', ...fields };
    if (sentWith !== undefined) attached.source_uuid = next() < 0.9 ? sentWith : uuid(1 + below(12));
    if (delivery !== undefined) attached.delivery_id = delivery;
    add(attachment, { attachment: attached });
    if (next() < 0.4) noteDelivery(attached);
  };
/** Those who send messages, or are said to. */
const SENDERS = [
  ...['human', 'peer', 'channel', 'observer', 'observer-activity', 'coordinator'],
  ...['task-notification', 'auto-continuation', 'unclassified', 'unknown'],
];
const sent = ({ next, pick }) => ({
  ...(next() < 0.6 ? meta : {}),
  origin: {
    ...{ kind: pick(SENDERS), subkind: 's', producer: 'session-task', from: 'b' },
    ...{ runId: pick(['', 'r', 'a b']), taskKind: pick(['mcp-task', 'other']) },
  },
});
const error = { isApiErrorMessage: true, error: 'server_error' };
const synthetic = {
  message: { id: 'msg_synthetic', model: '<synthetic>', role: 'assistant', content: text('No response requested.') },
};

/** Every kind of entry with a place in the chain. */
export const KINDS = {
  'prompt, text': one(user, 'hi', { promptSource: 'sdk', origin: { kind: 'human' } }),
  'prompt, blocks': one(user, text('hi')),
  'prompt, image': (add) => {
    add(user, [image], { imagePasteIds: [1] });
    add(user, text('[Image: source: /tmp/1.png]'), meta);
  },
  'prompt, PDF': one(user, [...text('And a paper'), pdf]),
  'prompt, PDF and image': one(user, [pdf, image]),
  'prompt of an agent': one(user, 'Start by greeting.'),
  'prompt command': (add) => {
    add(user, '<command-message>greet</command-message>\n<command-name>/greet</command-name>');
    add(user, text('Say hello to Ann'), meta);
    add(attachment, { attachment: { type: 'command_permissions', allowedTools: [] } });
  },
  'local command': (add) => {
    add(user, '<local-command-caveat>The command below was run directly.', meta);
    add(user, '<command-name>/usage</command-name>\n<command-message>usage</command-message>');
    add(system, 'local_command');
  },
  'local command, output as user': (add) => {
    add(user, '<local-command-caveat>The command below was run directly.', meta);
    add(user, '<command-name>/compact</command-name>');
    add(user, '<local-command-stdout>Compacted </local-command-stdout>');
  },
  'shell command': (add) => {
    add(user, '<bash-input>ls</bash-input>');
    add(user, '<bash-stdout>a</bash-stdout><bash-stderr></bash-stderr>');
  },
  'unknown command': (add) => {
    add(user, '/nosuch x');
    add(attachment, { attachment: { type: 'unknown_command_fallback' } });
  },
  interrupt: one(user, text('[Request interrupted by user]')),
  'interrupt of a tool': one(user, text('[Request interrupted by user for tool use]')),
  'task notification': one(user, '<task-notification>\n<task-id>a</task-id>', {
    origin: { kind: 'task-notification' },
    turnOrigin: 'task-notification',
  }),
  'synthetic prompt': one(user, '[MESSAGE FROM NON-USER SOURCE]\nSo.', { ...meta, origin: { kind: 'unclassified' } }),
  'prompt of a sender': (add, numbers) => add(user, 'From elsewhere.', sent(numbers)),
  reminder: one(user, '<system-reminder>\nAttribution', { ...meta, turnCompanion: true }),
  'feedback of a Stop hook': (add) => {
    add(user, 'Stop hook feedback:\ngo on please', meta);
    add(attachment, { attachment: { type: 'hook_blocking_error' } });
    add(system, 'stop_hook_summary');
  },
  'visible in the transcript only': one(user, 'x', { isVisibleInTranscriptOnly: true }),
  "a teammate's prompt": one(user, 'x', { teamName: 't', agentName: 'a' }),
  // Older releases wrote them into the session's file, as a chain of their own.
  "a subagent's message": (_add, { at }) => at(null, assistant, 's', { isSidechain: true }),
  text: one(assistant, 'x'),
  'API error': one(assistant, 'API Error', error),
  'no response': one(assistant, '', synthetic),
  'tool call': (add, { tool }) => add(call, `m${tool}`, `t${tool}`),
  'call and result': (add, { tool }) => {
    add(call, `m${tool}`, `t${tool}`);
    add(result, `t${tool}`);
  },
  'refused call': (add, { tool }) => {
    add(call, `m${tool}`, `t${tool}`);
    const content = [{ type: 'tool_result', tool_use_id: `t${tool}`, is_error: true, content: 'no' }];
    add(user, content, { toolDenialKind: 'user-rejected' });
  },
  'parallel calls': (add, { tool, at, next, below, pick }) => {
    // Two calls of one answer, or results of one batch, may be written within a millisecond.
    const atOnce = () => pick([{}, { timestamp: '2026-01-01T00:59:59.000Z' }]);
    const [ofCalls, ofResults] = [atOnce(), atOnce()];
    const ids = ['a', 'b', 'c', 'd'].slice(0, 2 + below(3)).map((letter) => `t${tool}${letter}`);
    const calls = ids.map((id) => [add(call, `m${tool}`, id, ofCalls), id]);
    const order = calls.map((each) => [next(), each]).sort(([one], [other]) => one - other);
    for (const [, [parent, id]] of order) at(parent, result, id, ofResults);
  },
  'call with a reused id': (add, { tool, below }) => add(call, `m${tool}`, `call_${below(2)}`),
  'call and result, reused id': (add, { tool, below }) => {
    const id = `call_${below(2)}`;
    add(call, `m${tool}`, id);
    add(result, id);
  },
  'parallel calls, reused ids': (add, { tool, at, next }) => {
    const calls = ['call_0', 'call_1'].map((id) => [add(call, `m${tool}`, id), id]);
    for (const [parent, id] of next() < 0.5 ? calls : calls.reverse()) if (next() < 0.8) at(parent, result, id);
    if (next() < 0.5) add(assistant, 'x');
  },
  'result without its call': one(result, 'nowhere'),
  'result of a reused id': one(result, 'call_0'),
  environment: note('environment', {}),
  date: note('date', { newDate: '2026-01-01' }),
  'skill listing': note('skill_listing', {}),
  'prompt snapshot': note('prompt_snapshot', {}),
  'context of a hook': note('hook_additional_context', { content: ['c'], hookEvent: 'PostToolUse' }),
  'error of a hook': note('hook_blocking_error', {}),
  'queued prompt': queued({}),
  'queued prompt, blocks': queued({ prompt: [...text('Look:'), image] }),
  'queued prompt of a program': queued({ isMeta: true, origin: { kind: 'coordinator' }, commandMode: undefined }),
  'queued prompt of a sender': (add, more) => {
    const commandMode = more.pick(['prompt', 'task-notification', undefined]);
    queued({ ...sent(more), commandMode, runId: more.pick(['', 'q']) })(add, more);
  },
  'queued task notification': queued({ commandMode: 'task-notification', prompt: '<task-notification>' }),
  'queued prompt, broken': queued({ prompt: 5 }),
  'two queued prompts': (add, more) => {
    queued({})(add, more);
    queued({ prompt: text('And this.') })(add, more);
  },
  'summary of Stop hooks': one(system, 'stop_hook_summary'),
  'local command, system': one(system, 'local_command'),
  informational: one(system, 'informational'),
  'API error, system': one(system, 'api_error'),
  progress: one(progress),
};

const NUMBERED = Object.keys(KINDS).filter((name) => name.includes('reused'));

const line = (fields) => (lines) => lines.push({ sessionId: SESSION, ...fields });
/** Kinds beside the chain. */
Object.assign(
  KINDS,
  Object.fromEntries(
    Object.entries({
      'queue-operation': { operation: 'enqueue', timestamp: '2026-01-01T00:00:00.000Z', content: 'hi' },
      'last-prompt': { lastPrompt: 'hi', leafUuid: uuid(1) },
      mode: { mode: 'normal' },
      'custom-title': { customTitle: 'T' },
      'ai-title': { aiTitle: 'T' },
      tag: { tag: 't' },
      summary: { summary: 'S', leafUuid: uuid(1) },
      'api-request': { id: 'a', keep: 1, tail: [] },
      'api-request-blob': { hash: 'h', message: { role: 'user', content: text('hi') } },
      'cost-state': { totalCostUSD: 0 },
      'tools-used': { tools: ['Bash'] },
      'content-replacement': { replacements: [{ kind: 'x' }] },
      'file-history-snapshot': { messageId: uuid(1), snapshot: {} },
    }).map(([type, fields]) => [type, (_add, { lines }) => line({ type, ...fields })(lines)]),
  ),
);

export const POSITIONS = [
  'first',
  'between turns',
  'inside a turn',
  'last',
  'before a compaction',
  'behind a boundary',
  'after a summary',
  'kept by a compaction',
  'on a dead branch',
  'in a subagent',
];

/** A transcript with `kind` at `position`: `{lines, isSubagent, cuts}`. `cuts` are ids for `upToMessageId`. */
export function history(numbers, kind, position) {
  const { next, below, pick } = numbers;
  const isSubagent = position === 'in a subagent';
  // Backends that number their calls use the same ids on every branch.
  const isNumbered = NUMBERED.includes(kind);
  const place = isSubagent ? pick(['between turns', 'inside a turn', 'last']) : position;
  const lines = [];
  let count = 0;
  let tip = null;
  let tools = 0;
  const at = (parent, make, ...rest) => {
    count += 1;
    const entry = make(count, parent, ...rest);
    if (isSubagent) Object.assign(entry, { isSidechain: true, agentId: 'a' });
    lines.push(entry);
    return count;
  };
  const add = (make, ...rest) => {
    tip = at(tip, make, ...rest);
    return tip;
  };
  const noteDelivery = ({ delivery_id: deliveryId, source_uuid: commandUuid }) =>
    lines.push({ type: 'queue-operation', operation: 'remove', reason: 'absorbed_mid_turn', deliveryId, commandUuid });
  const put = (name) => {
    tools += 1;
    KINDS[name](add, { ...numbers, tool: tools, at, lines, noteDelivery });
  };
  const odd = Object.keys(KINDS).filter((name) => !isSubagent || !ENDS_OF_SUBAGENTS.has(name));
  const here = (...names) => {
    if (names.includes(place)) put(kind);
    if (next() < 0.15) put(pick(odd));
  };
  const turn = () => {
    here('between turns');
    add(user, 'hi');
    for (let calls = below(3); calls > 0; calls--) {
      put(isNumbered ? pick(NUMBERED) : 'call and result');
      here('inside a turn');
    }
    here('inside a turn');
    if (next() < 0.9) add(assistant, 'x');
  };
  const branch = () => {
    const rewound = tip;
    add(user, 'dead');
    if (isNumbered) put(pick(NUMBERED));
    here('on a dead branch');
    if (next() < 0.5) add(assistant, 'x');
    tip = rewound;
  };
  const compaction = () => {
    here('before a compaction');
    if (next() < 0.2) branch();
    const from = lines.length;
    if (next() < 0.8) turn();
    here('kept by a compaction');
    if (next() < 0.7) add(assistant, 'kept');
    const kept = keptOf(lines.slice(from), tip);
    const logical = tip !== null && lines.find((entry) => entry.uuid === uuid(tip)).type === 'progress' ? null : tip;
    tip = null;
    const edge = add(boundary, logical);
    here('behind a boundary');
    const anchor = add(summary);
    const choice = next();
    if (kept.length > 0 && choice < 0.8) {
      const anchorUuid = uuid(next() < 0.9 ? anchor : edge);
      const metadata = lines.find((entry) => entry.uuid === uuid(edge)).compactMetadata;
      const turns = kept.filter(({ type }) => type === 'user' || type === 'assistant').map((entry) => entry.uuid);
      const all = kept.map((entry) => entry.uuid);
      if (choice < 0.6) metadata.preservedSegment = { headUuid: all[0], anchorUuid, tailUuid: all.at(-1) };
      if (choice > 0.2) metadata.preservedMessages = { anchorUuid, uuids: next() < 0.5 ? all : turns, allUuids: all };
    }
    here('after a summary');
  };
  here('first');
  const rounds = 1 + below(3);
  for (let round = 0; round < rounds; round++) {
    turn();
    if (place === 'on a dead branch' || next() < 0.2) branch();
    if (!isSubagent && (NEAR_COMPACTIONS.has(place) || next() < 0.2)) compaction();
  }
  if (place !== 'after a summary' || next() < 0.5) turn();
  here('last');
  const cuts = lines.flatMap((entry) => [entry.uuid, entry.attachment?.source_uuid]).filter((id) => id !== undefined);
  return { lines, isSubagent, cuts };
}

/** The official chain of a subagent ends at these, ours goes on (D-131). */
export const ENDS_OF_SUBAGENTS = new Set([
  'local command',
  'feedback of a Stop hook',
  'summary of Stop hooks',
  'local command, system',
  'informational',
  'API error, system',
  'progress',
]);
const NEAR_COMPACTIONS = new Set([
  'before a compaction',
  'behind a boundary',
  'after a summary',
  'kept by a compaction',
]);

/** The entries on the way from `tip` up to the first of `entries`, oldest first. */
function keptOf(entries, tip) {
  const linked = entries.filter((entry) => 'parentUuid' in entry);
  const byUuid = new Map(linked.map((entry) => [entry.uuid, entry]));
  const kept = [];
  for (let entry = byUuid.get(uuid(tip)); entry !== undefined; entry = byUuid.get(entry.parentUuid))
    kept.unshift(entry);
  return kept.filter(({ type, isSidechain }) => type !== 'progress' && !isSidechain);
}
