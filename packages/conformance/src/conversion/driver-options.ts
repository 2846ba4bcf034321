import { readFlags } from 'claudewire/testing';
import { isJsonObject, type JsonObject, parseJsonObject } from '../util/json.js';
import type { Question } from './questions.js';

interface DriverOptions {
  readonly options: JsonObject;
  readonly features: readonly string[];
  readonly problems: readonly string[];
}

type Convert = (values: readonly string[]) => JsonObject;

const one =
  (name: string): Convert =>
  ([value]) => ({ [name]: value });
const number =
  (name: string): Convert =>
  ([value]) => ({ [name]: Number(value) });
const flag =
  (name: string, value: unknown = true): Convert =>
  () => ({ [name]: value });
const list =
  (name: string): Convert =>
  (values) => ({
    [name]: values.flatMap((value) => (value === '' ? [] : value.includes('(') ? [value] : value.split(','))),
  });

/** What every SDK gives by itself. */
const BASE = new Set(['--output-format', '--verbose', '--input-format', '--print', '-p']);

const OPTIONS: Readonly<Record<string, Convert>> = {
  '--model': one('model'),
  '--fallback-model': one('fallbackModel'),
  '--effort': one('effort'),
  '--max-turns': number('maxTurns'),
  '--max-budget-usd': number('maxBudgetUsd'),
  '--max-thinking-tokens': number('maxThinkingTokens'),
  '--allowedTools': list('allowedTools'),
  '--disallowedTools': list('disallowedTools'),
  '--tools': list('tools'),
  '--betas': list('betas'),
  '--setting-sources': list('settingSources'),
  '--settings': one('settings'),
  '--add-dir': (values) => ({ additionalDirectories: [...values] }),
  '--resume': one('resume'),
  '--resume-session-at': one('resumeSessionAt'),
  '--continue': flag('continue'),
  '--fork-session': flag('forkSession'),
  '--session-id': one('sessionId'),
  '--include-partial-messages': flag('includePartialMessages'),
  '--include-hook-events': flag('includeHookEvents'),
  '--strict-mcp-config': flag('strictMcpConfig'),
  '--no-session-persistence': flag('persistSession', false),
  '--allow-dangerously-skip-permissions': flag('allowDangerouslySkipPermissions'),
  '--permission-mode': ([mode]) => ({
    permissionMode: mode,
    ...(mode === 'bypassPermissions' ? { allowDangerouslySkipPermissions: true } : {}),
  }),
  '--permission-prompt-tool': ([tool]) =>
    tool === 'stdio' ? { canUseTool: { $callback: 'canUseTool' } } : { permissionPromptToolName: tool },
  '--mcp-config': ([text]) => ({ mcpServers: parseJsonObject(text ?? '')?.mcpServers }),
  '--json-schema': ([text]) => ({ outputFormat: schemaFormat(parseJsonObject(text ?? '')) }),
};

const schemaFormat = (schema: unknown): JsonObject => ({ type: 'json_schema', schema });

/** Fields of `initialize`, and the option that puts them there. */
const FIELDS: Readonly<Record<string, (value: unknown) => JsonObject>> = {
  systemPrompt: (value) => ({ systemPrompt: value }),
  appendSystemPrompt: (append) => ({ systemPrompt: { type: 'preset', preset: 'claude_code', append } }),
  agents: (agents) => ({ agents }),
  title: (title) => ({ title }),
  skills: (skills) => ({ skills }),
  jsonSchema: (schema) => ({ outputFormat: schemaFormat(schema) }),
  promptSuggestions: (promptSuggestions) => ({ promptSuggestions }),
  agentProgressSummaries: (agentProgressSummaries) => ({ agentProgressSummaries }),
  forwardSubagentText: (forwardSubagentText) => ({ forwardSubagentText }),
  planModeInstructions: (planModeInstructions) => ({ planModeInstructions }),
  hooks: (hooks) => ({ hooks: hookOptions(hooks) }),
};

/** The options that make an SDK start the CLI with these arguments, and say this in `initialize`. */
export function driverOptions(
  argv: readonly string[],
  initialize: JsonObject,
  questions: readonly Question[],
): DriverOptions {
  const problems: string[] = [];
  const { flags, rest } = readFlags(argv);
  if (rest.length > 0 || !flags.has('--input-format')) {
    problems.push('the CLI is not driven by frames');
  }
  let options: JsonObject = {};
  const extraArgs: Record<string, string | null> = {};
  for (const [name, values] of flags) {
    if (BASE.has(name)) continue;
    const convert = OPTIONS[name];
    if (convert !== undefined) options = { ...options, ...convert(values) };
    else extraArgs[name.replace(/^-+/, '')] = values[0] ?? null;
  }
  for (const [name, value] of Object.entries(initialize)) {
    if (name === 'subtype' || name.startsWith('sdkMcpServer')) continue;
    const convert = FIELDS[name];
    if (convert === undefined) problems.push(`no option puts ${name} into initialize`);
    else options = { ...options, ...convert(value) };
  }
  const servers = serverOptions(initialize, questions);
  const isAsked = (subtype: string): boolean => questions.some(({ request }) => request.subtype === subtype);
  if (isAsked('elicitation')) options.onElicitation = { $callback: 'elicitation' };
  if (Object.keys(servers).length > 0) {
    const given = isJsonObject(options.mcpServers) ? options.mcpServers : {};
    options.mcpServers = { ...given, ...servers };
  }
  return {
    options: { ...options, ...(Object.keys(extraArgs).length > 0 ? { extraArgs } : {}) },
    features: [
      ...('hooks' in options ? ['hooks'] : []),
      ...('canUseTool' in options ? ['can_use_tool'] : []),
      ...(Object.keys(servers).length > 0 ? ['mcp'] : []),
      ...(isAsked('elicitation') ? ['elicitation'] : []),
      ...(questions.some(({ isCancelled }) => isCancelled) ? ['callback-abort'] : []),
      ...typedFeatures(options, questions),
    ],
    problems,
  };
}

const HOOK_EVENTS = [
  ...['PreToolUse', 'PostToolUse', 'UserPromptSubmit', 'Stop', 'SubagentStop', 'PreCompact', 'Notification'],
  ...['SessionStart', 'SessionEnd', 'PostToolUseFailure', 'PermissionRequest', 'SubagentStart'],
];

/** What an SDK with typed callbacks may have no way to say. */
function typedFeatures(options: JsonObject, questions: readonly Question[]): readonly string[] {
  const isRefused = (subtype: string): boolean =>
    questions.some(({ request, answer }) => request.subtype === subtype && answer?.subtype === 'error');
  const events = isJsonObject(options.hooks) ? Object.keys(options.hooks) : [];
  return [
    ...(isRefused('hook_callback') ? ['hooks:throws'] : []),
    ...(events.every((event) => HOOK_EVENTS.includes(event)) ? [] : ['hooks:unknown-event']),
    ...(isRefused('can_use_tool') ? ['can_use_tool:throws'] : []),
    ...(isRefused('elicitation') ? ['elicitation:throws'] : []),
  ];
}

function hookOptions(hooks: unknown): unknown {
  if (!isJsonObject(hooks)) return hooks;
  return Object.fromEntries(
    Object.entries(hooks).map(([event, matchers]) => [
      event,
      (Array.isArray(matchers) ? matchers : []).map(({ hookCallbackIds, ...matcher }) => ({
        ...matcher,
        hooks: (hookCallbackIds as string[]).map((id) => ({ $callback: id })),
      })),
    ]),
  );
}

/** In-process servers as their own answers describe them, or what `initialize` says of them ahead. */
function serverOptions(initialize: JsonObject, questions: readonly Question[]): JsonObject {
  const names = initialize.sdkMcpServers;
  if (!Array.isArray(names)) return {};
  const manifests = isJsonObject(initialize.sdkMcpServerManifests) ? initialize.sdkMcpServerManifests : {};
  const ahead = (name: string, part: string): JsonObject | undefined => {
    const manifest = Object.hasOwn(manifests, name) ? manifests[name] : undefined;
    const result = isJsonObject(manifest) ? manifest[part] : undefined;
    return isJsonObject(result) ? result : undefined;
  };
  return Object.fromEntries(
    names.map(String).map((name) => {
      const tools = (ahead(name, 'toolsListResult') ?? resultOf(name, 'tools/list', questions))?.tools;
      const info = (ahead(name, 'initializeResult') ?? resultOf(name, 'initialize', questions))?.serverInfo;
      const version = isJsonObject(info) ? String(info.version) : '1.0.0';
      const list = (Array.isArray(tools) ? tools : []) as readonly JsonObject[];
      return [
        name,
        {
          $server: {
            version,
            tools: list.map((tool) => ({ ...tool, handler: { $callback: `${name}.${String(tool.name)}` } })),
          },
        },
      ];
    }),
  );
}

function resultOf(server: string, method: string, questions: readonly Question[]): JsonObject | undefined {
  const found = questions.find(
    ({ request }) =>
      request.server_name === server && isJsonObject(request.message) && request.message.method === method,
  );
  const response = found?.answer?.response;
  const reply = isJsonObject(response) ? response.mcp_response : undefined;
  const result = isJsonObject(reply) ? reply.result : undefined;
  return isJsonObject(result) ? result : undefined;
}

interface DriverCallbacks {
  readonly callbacks: JsonObject;
  readonly problems: readonly string[];
}

interface Slots {
  readonly returns: unknown[];
  readonly throws: (string | null)[];
  readonly waitFor: (string | null)[];
}

/** The cue that lets a held answer go. */
export const cueOf = ({ name, call }: Question): string => `${String(name).replace(/[^\w.-]/g, '-')}-${call}`;

/** What each callback of the program does at each of its calls, as it was recorded. */
export function driverCallbacks(questions: Iterable<Question>): DriverCallbacks {
  const slots = new Map<string, Slots>();
  const problems: string[] = [];
  for (const question of questions) {
    const { name, call, request, isHeld } = question;
    if (name === undefined) {
      if (request.subtype !== 'mcp_message') {
        problems.push(`the CLI asks ${String(request.subtype)}: no callback answers that`);
      }
      continue;
    }
    const slot = slots.get(name) ?? { returns: [], throws: [], waitFor: [] };
    slots.set(name, slot);
    const { value, thrown, problem } = outcomeOf(question);
    if (problem !== undefined) problems.push(problem);
    slot.returns[call] = value ?? null;
    slot.throws[call] = thrown ?? null;
    slot.waitFor[call] = isHeld ? cueOf(question) : null;
  }
  return { callbacks: Object.fromEntries([...slots].map(([name, slot]) => [name, describe(slot)])), problems };
}

function describe({ returns, throws, waitFor }: Slots): JsonObject {
  const has = (list: readonly (string | null)[]): boolean => list.some((each) => each !== null);
  return { returns, ...(has(throws) ? { throws } : {}), ...(has(waitFor) ? { waitFor } : {}) };
}

function outcomeOf({ answer, request }: Question): {
  readonly value?: unknown;
  readonly thrown?: string;
  readonly problem?: string;
} {
  if (answer === undefined) return {};
  if (answer.subtype === 'error') return { thrown: String(answer.error) };
  const response = answer.response;
  if (request.subtype !== 'mcp_message') return { value: response };
  const reply = isJsonObject(response) ? response.mcp_response : undefined;
  const result = isJsonObject(reply) ? reply.result : undefined;
  return result === undefined
    ? { problem: 'a server answers a call with a JSON-RPC error: no handler of an SDK does' }
    : { value: result };
}
