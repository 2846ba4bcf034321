import { describe, expect, test } from 'vitest';
import { type AgentEvent, isAgentEvent } from '../../../src/adapter/agent/agent-event.js';
import { isJsonObject, type JsonObject } from '../../../src/util/json.js';
import { messagesOf, normalize, RECORDINGS } from './recordings.js';

/** Messages that give no event, as docs/adapter/agents.md says. */
function mayBeSilent(message: JsonObject, initsBefore: number, blocks: readonly unknown[]): boolean {
  switch (message.type) {
    case 'system':
      return message.subtype === 'init' && initsBefore > 0;
    case 'user':
      return blocks.every((block) => isJsonObject(block) && block.type !== 'tool_result');
    case 'stream_event': {
      const event = message.event;
      const delta = isJsonObject(event) ? event.delta : undefined;
      return !isJsonObject(delta) || delta.type !== 'text_delta';
    }
    case 'assistant':
      return blocks.every((block) => isJsonObject(block) && block.type === 'thinking' && block.thinking === '');
    case 'result':
      return (
        message.is_error === false || ['error_max_turns', 'error_max_budget_usd'].includes(String(message.subtype))
      );
    default:
      return false;
  }
}

function blocksOf({ message }: JsonObject): readonly unknown[] {
  const content = isJsonObject(message) ? message.content : undefined;
  return Array.isArray(content) ? content : [];
}

describe('what the real CLI was recorded sending', () => {
  test('there are recordings', () => {
    expect(RECORDINGS.length).toBeGreaterThan(250);
  });

  test.each(RECORDINGS)('%s: every message has its event, and one `done` ends it', (name) => {
    for (const messages of messagesOf(name)) {
      const { each, events } = normalize(messages);
      expect(events.filter(({ type }) => type === 'done')).toHaveLength(1);
      expect(events.at(-1)?.type).toBe('done');
      expect(events.filter(({ type }) => type === 'init').length).toBeLessThanOrEqual(1);
      expect(events.every(isAgentEvent)).toBe(true);
      let inits = 0;
      messages.forEach(({ message }, index) => {
        if (each[index]?.length === 0) {
          expect(mayBeSilent(message, inits, blocksOf(message)), JSON.stringify(message)).toBe(true);
        }
        if (message.type === 'system' && message.subtype === 'init') inits += 1;
      });
    }
  });

  test.each(RECORDINGS)('%s: no text, call or result of the conversation is lost', (name) => {
    for (const messages of messagesOf(name)) {
      const { events } = normalize(messages);
      const said = events.map(({ type, payload }) => `${type} ${JSON.stringify(payload)}`);
      for (const { message } of messages) {
        for (const block of blocksOf(message)) {
          if (!isJsonObject(block)) continue;
          const [kind, text] = traceOf(message, block);
          if (kind === undefined) continue;
          const start = kind === '' ? '' : `${kind} `;
          expect(
            said.some((line) => line.startsWith(start) && line.includes(text)),
            `${kind} ${text}`,
          ).toBe(true);
        }
      }
    }
  });
});

/** The event's type (empty: any), and what must stand in it. */
function traceOf(message: JsonObject, block: JsonObject): readonly [string | undefined, string] {
  const inside = (value: unknown): string => JSON.stringify(value ?? '').slice(1, -1);
  switch (`${String(message.type)} ${String(block.type)}`) {
    case 'assistant text':
      return [message.error === undefined ? 'text' : 'error', inside(block.text)];
    case 'assistant tool_use':
      return ['tool_use', inside(block.id)];
    case 'user tool_result':
      return ['tool_result', inside(block.tool_use_id)];
    default:
      return [undefined, ''];
  }
}

/** Recordings whose events are written down in `recorded/`, to be read there. */
const WRITTEN_DOWN = [
  'accept-edits-bash',
  'api-401',
  'api-429-no-header',
  'api-529-fallback-model',
  'ask-user-question',
  'bash-background',
  'bash-no-permission-host',
  'can-use-tool-allow',
  'can-use-tool-deny',
  'can-use-tool-deny-interrupt',
  'can-use-tool-parallel-reads',
  'compact-auto',
  'hello',
  'hook-pretool-deny',
  'hook-stop-block',
  'interrupt-bash',
  'interrupt-streaming-partial',
  'max-budget',
  'max-turns',
  'mcp-sdk',
  'parallel-tools',
  'partial-messages',
  'resume-missing',
  'sandbox-net-question',
  'structured-output',
  'subagent',
  'subagent-foreground-forward',
  'thinking-partial',
  'todo-and-tasks',
  'tool-errors',
  'tool-progress',
] as const;

test.each(WRITTEN_DOWN)('%s gives the events written down for it', async (name) => {
  const text = messagesOf(name)
    .map((messages) => normalize(messages).events.map(lineOf).join('\n'))
    .join('\n\n');
  await expect(`${text}\n`).toMatchFileSnapshot(`recorded/${name}.txt`);
});

/** One event, readable: what is long is cut, raw messages show their keys. */
function lineOf({ type, metadata, payload }: AgentEvent): string {
  const parent = metadata?.parentToolUseId === undefined ? '' : ` [${metadata.parentToolUseId}]`;
  if (type.includes(':')) return `${type}${parent} ${Object.keys(payload).sort().join(' ')}`;
  const fields = Object.entries(payload).map(([name, value]) => {
    const text = Array.isArray(value) ? `${value.length} entries` : JSON.stringify(value);
    return `${name}=${text.length > 160 ? `${text.slice(0, 150)}... (${text.length})` : text}`;
  });
  return `${type}${parent} ${fields.join(' ')}`;
}
