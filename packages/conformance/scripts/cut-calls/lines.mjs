/* What a run says about calls, without what differs from run to run. */

/** `call-0`, `call-1`: those of the model's message. `inner-0`: the sub-agent's. */
export function idsIn(messages) {
  const ids = new Map();
  let inner = 0;
  let outer = 0;
  for (const message of messages) {
    const isInner = message.isSidechain === true || typeof message.parent_tool_use_id === 'string';
    for (const { type, id } of blocksOf(message)) {
      if (type === 'tool_use' && !ids.has(id)) ids.set(id, isInner ? `inner-${inner++}` : `call-${outer++}`);
    }
  }
  return ids;
}

export function hookLine({ hook_event_name, tool_use_id, is_interrupt, agent_id }, ids) {
  const interrupt = is_interrupt === undefined ? {} : { is_interrupt };
  const agent = agent_id === undefined ? {} : { agent_id: 'agent' };
  return { hook_event_name, tool_use_id: ids.get(tool_use_id) ?? 'other', ...interrupt, ...agent };
}

/** What is in it about calls, without a text that is not ours, but for the few words that are looked for. */
export function linesOf(messages, ids, prefix = 'm') {
  const messageIds = new Map();
  return messages.flatMap((message) => {
    const { type, subtype } = message;
    if (type === 'result') {
      const denials = (message.permission_denials ?? []).map(({ tool_use_id }) => ({
        tool_use_id: ids.get(tool_use_id),
      }));
      return [{ type, subtype, ...(denials.length === 0 ? {} : { permission_denials: denials }) }];
    }
    if (subtype === 'permission_denied') return [{ type, subtype, tool_use_id: ids.get(message.tool_use_id) }];
    if (type !== 'user' && type !== 'assistant') return [];
    const { id, model } = message.message;
    if (id !== undefined && !messageIds.has(id)) messageIds.set(id, `${prefix}${messageIds.size}`);
    const fields = Object.entries(message).filter(
      ([key]) => /^toolDenial|^isMeta$|^isSidechain$|^isApiErrorMessage$/.test(key) && message[key],
    );
    const meta = message.tool_result_meta?.map((each) => ({ ...each, id: ids.get(each.id) }));
    const parent = message.parent_tool_use_id;
    return [
      {
        ...{ type, ...Object.fromEntries(fields) },
        ...(typeof parent === 'string' ? { parent_tool_use_id: ids.get(parent) } : {}),
        ...(message.isSidechain ? { agentId: 'agent' } : {}),
        ...(meta === undefined ? {} : { tool_result_meta: meta }),
        message: {
          ...(id === undefined ? {} : { id: messageIds.get(id) }),
          ...(model === '<synthetic>' ? { model } : {}),
          content: blocksOf(message).flatMap((block) => blockLine(block, ids)),
        },
      },
    ];
  });
}

function blocksOf({ message }) {
  const { content } = message ?? {};
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content : [];
}

function blockLine({ type, id, name, tool_use_id, is_error, content, text }, ids) {
  if (type === 'tool_use') return [{ type, id: ids.get(id), name }];
  if (type === 'text') return [{ type, text: wordsOf(text) }];
  if (type !== 'tool_result') return [];
  const error = is_error === undefined ? {} : { is_error };
  const words = content === undefined ? {} : { content: wordsOf(textOf(content)) };
  return [{ type, tool_use_id: ids.get(tool_use_id), ...error, ...words }];
}

/** The beginnings that say something, as short as they may be. */
const WORDS = [
  ...[
    /^Exit code \d+\n\[Request interrupted by user for tool use\]/,
    /^Exit code \d+(\nThe user doesn't want to proceed)?/,
  ],
  ...[/^\[Request interrupted by user(?: for tool use)?\]/, /^The user doesn't want to (?:proceed|take this action)/],
  ...[/^Tool permission stream closed before response received/, /^Tool permission request failed: AbortError/],
  ...[/^(?:MCP error -32001: )?AbortError/, /^Permission to use /, /^\[Tool call interrupted/, /^<tool_use_error>/],
  ...[/^The tool call was interrupted/, /^Denied by the callback\./, /^(?:\S+ hook error: )?By the hook\./],
];

function wordsOf(text) {
  return WORDS.map((words) => words.exec(text)?.[0]).find((words) => words !== undefined) ?? 'text';
}

function textOf(content) {
  if (typeof content === 'string') return content;
  return (Array.isArray(content) ? content : []).map(({ text }) => text ?? '').join('');
}
