/**
 * Names of the OpenTelemetry semantic conventions for generative AI, version {@link CONVENTIONS_VERSION}, as in
 * `@opentelemetry/semantic-conventions/incubating` of that version. A test compares them. Names that begin with
 * `claudewire.` are our own: the conventions have none for what they say.
 */
export const CONVENTIONS_VERSION = '1.45.0';
export const SCHEMA_URL = `https://opentelemetry.io/schemas/${CONVENTIONS_VERSION}`;

export const ATTR = {
  AGENT_ID: 'gen_ai.agent.id',
  AGENT_NAME: 'gen_ai.agent.name',
  CONVERSATION_ID: 'gen_ai.conversation.id',
  INPUT_MESSAGES: 'gen_ai.input.messages',
  OPERATION_NAME: 'gen_ai.operation.name',
  OUTPUT_MESSAGES: 'gen_ai.output.messages',
  PROVIDER_NAME: 'gen_ai.provider.name',
  REQUEST_MODEL: 'gen_ai.request.model',
  RESPONSE_FINISH_REASONS: 'gen_ai.response.finish_reasons',
  RESPONSE_ID: 'gen_ai.response.id',
  RESPONSE_MODEL: 'gen_ai.response.model',
  RESPONSE_TIME_TO_FIRST_CHUNK: 'gen_ai.response.time_to_first_chunk',
  TOKEN_TYPE: 'gen_ai.token.type',
  TOOL_CALL_ARGUMENTS: 'gen_ai.tool.call.arguments',
  TOOL_CALL_ID: 'gen_ai.tool.call.id',
  TOOL_CALL_RESULT: 'gen_ai.tool.call.result',
  TOOL_NAME: 'gen_ai.tool.name',
  USAGE_CACHE_CREATION_INPUT_TOKENS: 'gen_ai.usage.cache_creation.input_tokens',
  USAGE_CACHE_READ_INPUT_TOKENS: 'gen_ai.usage.cache_read.input_tokens',
  USAGE_INPUT_TOKENS: 'gen_ai.usage.input_tokens',
  USAGE_OUTPUT_TOKENS: 'gen_ai.usage.output_tokens',
} as const;

export const METRIC = {
  OPERATION_DURATION: 'gen_ai.client.operation.duration',
  OPERATION_TIME_TO_FIRST_CHUNK: 'gen_ai.client.operation.time_to_first_chunk',
  TOKEN_USAGE: 'gen_ai.client.token.usage',
} as const;

/** Stable, of the general conventions. */
export const ERROR_TYPE = 'error.type';

export const OWN = {
  RUN: 'claudewire.run',
  FRONT: 'claudewire.front',
  CLI_VERSION: 'claudewire.cli.version',
  OUTCOME: 'claudewire.outcome',
  COST: 'claudewire.cost_usd',
  TURNS: 'claudewire.turns',
  TURN: 'claudewire.turn',
  ANSWERS: 'claudewire.answers',
  PID: 'process.pid',
  EXIT_CODE: 'process.exit.code',
  MESSAGE_UUID: 'claudewire.message.uuid',
  REQUEST_ID: 'claudewire.request.id',
  REQUEST_SUBTYPE: 'claudewire.request.subtype',
  REQUEST_FROM: 'claudewire.request.from',
  DECISION: 'claudewire.decision',
  RETRIES: 'claudewire.retries',
  QUEUED: 'claudewire.queued',
  HOOK_EVENT: 'claudewire.hook.event',
  HOOK_NAME: 'claudewire.hook.name',
  HOOK_SOURCE: 'claudewire.hook.source',
  QUESTION_KIND: 'claudewire.question.kind',
} as const;

export const OWN_METRIC = {
  COST: 'claudewire.cost',
  QUEUE: 'claudewire.queue.length',
  CONTROL: 'claudewire.control.duration',
} as const;
