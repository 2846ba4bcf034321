import type { SDKMessage } from 'claudewire';

/** What the demo shows, one object a step; `--json` prints them as they are. */
export type DemoEvent =
  | {
      readonly type: 'start';
      readonly mode: 'scripted' | 'live';
      readonly scenario?: string;
      /** The tour has one for each act. */
      readonly prompt?: string;
    }
  | {
      readonly type: 'act';
      readonly number: number;
      readonly of: number;
      readonly title: string;
      readonly prompt: string;
    }
  | {
      readonly type: 'next';
      /** Commands, and pages of the repository. */
      readonly commands: readonly { readonly command: string; readonly does: string }[];
    }
  | { readonly type: 'session'; readonly model: string; readonly tools: number }
  /** A piece of the answer, as it streams. */
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'text_end' }
  | { readonly type: 'tool_call'; readonly id: string; readonly name: string; readonly input: unknown }
  | { readonly type: 'tool_result'; readonly id: string; readonly text: string; readonly isError: boolean }
  | {
      readonly type: 'permission';
      readonly tool: string;
      readonly input: unknown;
      readonly decision: 'allow' | 'deny';
      readonly reason: string;
    }
  | { readonly type: 'hook'; readonly event: string; readonly tool: string }
  /** The demo's own tool ran, in this process. */
  | { readonly type: 'in_process_tool'; readonly name: string; readonly result: string }
  | {
      readonly type: 'retry';
      readonly attempt: number;
      readonly maxRetries: number;
      readonly delayMs: number;
      readonly status: number | null;
    }
  | { readonly type: 'interrupt' }
  | { readonly type: 'stderr'; readonly text: string }
  | {
      readonly type: 'error';
      readonly name: string;
      readonly errorClass?: string;
      readonly message: string;
      readonly hint?: string;
    }
  | {
      readonly type: 'summary';
      readonly outcome: string;
      readonly message: string;
      readonly turns: number;
      readonly inputTokens: number;
      readonly outputTokens: number;
      readonly costUsd: number;
      /** Milliseconds on this machine's clock, from the call of `query()` to the end of the loop. */
      readonly durationMs: number;
    };

/** Takes events in order. */
export type DemoListener = (event: DemoEvent) => void;

/** Turns messages into what is shown of them. Text that streamed is not shown again when its message is whole. */
export class MessageEvents {
  readonly #streamed = new Set<string>();
  #isInText = false;

  /** Frames of subagents are left out: the demo shows one conversation. */
  of(message: SDKMessage): readonly DemoEvent[] {
    switch (message.type) {
      case 'system':
        return systemEvents(message);
      case 'stream_event':
        return message.parent_tool_use_id === null ? this.#streamEvents(message.event) : [];
      case 'assistant':
        return message.parent_tool_use_id === null ? this.#assistantEvents(message) : [];
      case 'user':
        return message.parent_tool_use_id === null ? toolResults(message.message.content) : [];
      default:
        return [];
    }
  }

  #streamEvents(event: Extract<SDKMessage, { type: 'stream_event' }>['event']): readonly DemoEvent[] {
    if (event.type === 'message_start') this.#streamed.add(event.message.id);
    if (event.type === 'content_block_start') this.#isInText = event.content_block.type === 'text';
    if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') {
      return [{ type: 'text', text: event.delta.text }];
    }
    if (event.type === 'content_block_stop' && this.#isInText) {
      this.#isInText = false;
      return [{ type: 'text_end' }];
    }
    return [];
  }

  #assistantEvents({ message }: Extract<SDKMessage, { type: 'assistant' }>): readonly DemoEvent[] {
    const events: DemoEvent[] = [];
    for (const block of message.content) {
      if (block.type === 'tool_use') {
        events.push({ type: 'tool_call', id: block.id, name: block.name, input: block.input });
      } else if (block.type === 'text' && !this.#streamed.has(message.id)) {
        events.push({ type: 'text', text: block.text }, { type: 'text_end' });
      }
    }
    return events;
  }
}

function systemEvents(message: Extract<SDKMessage, { type: 'system' }>): readonly DemoEvent[] {
  if (message.subtype === 'init') return [{ type: 'session', model: message.model, tools: message.tools.length }];
  if (message.subtype !== 'api_retry') return [];
  const { attempt, max_retries: maxRetries, retry_delay_ms: delayMs, error_status: status } = message;
  return [{ type: 'retry', attempt, maxRetries, delayMs, status }];
}

function toolResults(content: Extract<SDKMessage, { type: 'user' }>['message']['content']): readonly DemoEvent[] {
  if (typeof content === 'string') return [];
  return content.flatMap((block): readonly DemoEvent[] => {
    if (block.type !== 'tool_result') return [];
    const { tool_use_id: id, is_error: isError } = block;
    return [{ type: 'tool_result', id, text: resultText(block.content), isError: isError === true }];
  });
}

/** What a tool said, as text; other content by its type. */
function resultText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content
    .map((block: { type?: unknown; text?: unknown }) =>
      typeof block.text === 'string' ? block.text : `(${String(block.type)})`,
    )
    .join('\n');
}
