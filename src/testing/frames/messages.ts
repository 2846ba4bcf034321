import type {
  APIContentBlock,
  APIUsage,
  SDKAPIRetryMessage,
  SDKAssistantMessage,
  SDKMessage,
  SDKRateLimitEvent,
  SDKRateLimitInfo,
  SDKSystemMessage,
  SDKUserMessage,
} from '../../index.js';
import type { FrameSession } from './session.js';

type Over<T> = Partial<Omit<T, 'type'>>;
type SystemSubtype = Extract<SDKMessage, { type: 'system' }>['subtype'];
type SystemMessage<S extends SystemSubtype> = Extract<SDKMessage, { type: 'system'; subtype: S }>;

/** Messages of the CLI as they travel, every required field filled in. Each takes fields that replace the defaults. */
export interface MessageFrames {
  /** `system/init`, the first message of a turn. */
  init(over?: Over<SDKSystemMessage>): SDKSystemMessage;
  assistantText(text: string, over?: Over<SDKAssistantMessage>): SDKAssistantMessage;
  assistantThinking(text: string, over?: Over<SDKAssistantMessage>): SDKAssistantMessage;
  /** The model calls a tool. What follows (permission, hook, result) is about this call by itself. */
  toolUse(
    name: string,
    input?: Record<string, unknown>,
    over?: Over<SDKAssistantMessage> & { readonly toolUseId?: string },
  ): SDKAssistantMessage;
  /** What the tool said, as the CLI shows it. */
  toolResult(
    content: string,
    over?: Over<SDKUserMessage> & { readonly toolUseId?: string; readonly isError?: boolean },
  ): SDKUserMessage;
  /** Any other `system` message. Fields without a default are yours to give. */
  systemMessage<S extends SystemSubtype>(
    subtype: S,
    fields: Omit<SystemMessage<S>, 'type' | 'subtype' | 'uuid' | 'session_id'>,
  ): SystemMessage<S>;
  /** The CLI waits before it asks the API again. @defaultValue attempt 1 of 10, 500 ms, 529 */
  apiRetry(over?: Over<SDKAPIRetryMessage>): SDKAPIRetryMessage;
  rateLimit(info: SDKRateLimitInfo): SDKRateLimitEvent;
}

export function messageFrames(session: FrameSession): MessageFrames {
  const assistant = (block: APIContentBlock, over: Over<SDKAssistantMessage> = {}): SDKAssistantMessage => ({
    type: 'assistant',
    message: { ...openMessage(session, [block]), ...(over.is_api_error_message === true ? OWN_WORDS : {}) },
    parent_tool_use_id: null,
    ...session.ids(),
    timestamp: TIMESTAMP,
    request_id: session.id('req_'),
    ...over,
  });
  return {
    init: (over = {}) => ({
      type: 'system',
      subtype: 'init',
      cwd: session.cwd,
      tools: ['Bash', 'Edit', 'Read', 'Write'],
      mcp_servers: [],
      model: session.model,
      permissionMode: 'default',
      slash_commands: [],
      apiKeySource: 'none',
      claude_code_version: session.cliVersion,
      output_style: 'default',
      agents: [],
      skills: [],
      plugins: [],
      ...session.ids(),
      ...over,
    }),
    assistantText: (text, over) => {
      session.lastText = text;
      const whole = assistant({ type: 'text', text, citations: null }, over);
      const streamed = session.lastStreamed;
      session.lastStreamed = undefined;
      if (streamed?.text !== text || over?.message !== undefined) return whole;
      return { ...whole, message: { ...whole.message, id: streamed.id } };
    },
    assistantThinking: (thinking, over) => assistant({ type: 'thinking', thinking, signature: 'c2lnbmF0dXJl' }, over),
    toolUse: (name, input = {}, { toolUseId, ...over } = {}) => {
      const id = toolUseId ?? session.id('toolu_');
      session.lastToolUse = { id, name, input };
      return assistant({ type: 'tool_use', id, name, input }, over);
    },
    toolResult: (content, { toolUseId, isError = false, ...over } = {}) => ({
      type: 'user',
      message: {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: toolUseId ?? session.lastToolUse?.id ?? 'toolu_1',
            content,
            is_error: isError,
          },
        ],
      },
      parent_tool_use_id: null,
      ...session.ids(),
      timestamp: TIMESTAMP,
      ...over,
    }),
    systemMessage: (subtype, fields) =>
      // The caller gave the subtype's own fields; the compiler does not follow a generic that far.
      ({ type: 'system', subtype, ...session.ids(), ...fields }) as never,
    apiRetry: (over = {}) => ({
      type: 'system',
      subtype: 'api_retry',
      attempt: 1,
      max_retries: 10,
      retry_delay_ms: 500,
      error_status: 529,
      error: 'overloaded',
      ...session.ids(),
      ...over,
    }),
    rateLimit: (info) => ({ type: 'rate_limit_event', rate_limit_info: info, ...session.ids() }),
  };
}

/** The same in every run, so that snapshots hold. */
export const TIMESTAMP = '2026-01-01T00:00:00.000Z';

/** What a message of the CLI itself has, which it shows in place of an answer that the model did not give. */
const OWN_WORDS = {
  model: '<synthetic>',
  stop_reason: 'stop_sequence',
  stop_sequence: '',
  usage: usage(0, 0),
} as const;

/** A message of the API that has not come to its end. @internal */
export function openMessage(session: FrameSession, content: APIContentBlock[]): SDKAssistantMessage['message'] {
  return {
    id: session.id('msg_'),
    type: 'message',
    role: 'assistant',
    model: session.model,
    content,
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    usage: usage(10, 1),
    container: null,
    context_management: null,
    diagnostics: null,
  };
}

/** @internal */
export function usage(inputTokens: number, outputTokens: number) {
  return {
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 0 },
    output_tokens_details: null,
    server_tool_use: null,
    service_tier: 'standard' as const,
    speed: null,
    inference_geo: null,
    iterations: null,
    fallback_credit: null,
  } satisfies APIUsage;
}
