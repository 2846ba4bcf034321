import { isJsonObject, type JsonObject } from '../../src/util/json.js';
import type { FaultyCli } from './faulty-cli.js';
import type { Random } from './random.js';

/** One thing that a turn does: write a line, or ask and wait for the answer. */
export type TurnItem = { readonly frame: JsonObject } | { readonly ask: JsonObject };

const SESSION = { session_id: 's', parent_tool_use_id: null };

/** The items of one turn but its result. */
export function turnItems(random: Random, cli: FaultyCli): readonly TurnItem[] {
  const items: TurnItem[] = [{ frame: initFrame(cli) }];
  const count = 1 + random.below(7);
  for (let index = 0; index < count; index += 1) {
    items.push(random.chance(0.3) ? { ask: question(random, cli) } : { frame: line(random, cli) });
  }
  return items;
}

/** What the CLI answers a request of the SDK. */
export function answerBody(subtype: string): JsonObject {
  switch (subtype) {
    case 'initialize':
      return { commands: [], models: [], agents: [], account: {}, output_style: 'default' };
    case 'claim_session':
      return { cwd: '/', session_id: 's', parked_ms: 1 };
    case 'mcp_status':
      return { mcpServers: [] };
    case 'mcp_set_servers':
      return { added: [], removed: [], errors: {} };
    default:
      return {};
  }
}

const initFrame = (cli: FaultyCli): JsonObject => ({
  ...{ type: 'system', subtype: 'init', uuid: cli.id('m-'), session_id: 's', cwd: '/' },
  ...{ tools: [], mcp_servers: [], model: 'm', permissionMode: 'default', slash_commands: [] },
});

function line(random: Random, cli: FaultyCli): JsonObject {
  const text = random.pick(['short', 'ünï\u2028code 😀', 'x'.repeat(random.below(20_000)), '']);
  const uuid = cli.id('m-');
  const content = [{ type: 'text', text }];
  return random.pick<() => JsonObject>([
    () => ({ type: 'assistant', uuid, ...SESSION, message: { role: 'assistant', content } }),
    () => ({ type: 'user', uuid, ...SESSION, message: { role: 'user', content } }),
    () => ({ type: 'stream_event', uuid, ...SESSION, event: { type: 'message_start' } }),
    () => ({ type: 'system', subtype: 'status', status: 'compacting', uuid, session_id: 's' }),
    () => ({ type: 'of_next_year', uuid, session_id: 's' }),
    () => ({ type: 'keep_alive' }),
    () => ({ type: 'system', subtype: 'commands_changed', commands: [], uuid, session_id: 's' }),
    () => ({
      type: 'transcript_mirror',
      filePath: `${cli.spec.configFolder}/projects/-p/11111111-1111-4111-8111-111111111111.jsonl`,
      entries: [{ type: 'user', uuid: cli.id('e-'), n: random.below(9) }],
    }),
  ])();
}

/** Asks for one thing that the program can answer. */
function question(random: Random, cli: FaultyCli): JsonObject {
  return random.pick<() => JsonObject>([
    () => ({
      ...{ subtype: 'can_use_tool', tool_name: 'Bash', input: { command: 'true' } },
      ...{ tool_use_id: cli.id('toolu_'), permission_suggestions: [] },
    }),
    () => ({
      ...{ subtype: 'hook_callback', callback_id: hookId(cli), tool_use_id: cli.id('toolu_') },
      input: { hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: {}, session_id: 's' },
    }),
    () => mcp('tools/list', {}, cli),
    () => mcp('tools/call', { name: 'echo', arguments: { text: 'hi' } }, cli),
    () => mcp('of/next_year', {}, cli),
    () => ({ subtype: 'elicitation', mcp_server_name: 's', message: 'Name?', mode: 'form' }),
    () => ({ subtype: 'of_next_year' }),
  ])();
}

function mcp(method: string, params: JsonObject, cli: FaultyCli): JsonObject {
  const message = { jsonrpc: '2.0', id: cli.id(''), method, params };
  return { subtype: 'mcp_message', server_name: 'local', message };
}

/** The first that the program registered, or one that nobody did. */
function hookId(cli: FaultyCli): string {
  const { hooks } = cli.initialize;
  const matchers = isJsonObject(hooks) ? hooks.PreToolUse : undefined;
  const first: unknown = Array.isArray(matchers) ? matchers[0] : undefined;
  const ids = isJsonObject(first) ? first.hookCallbackIds : undefined;
  return Array.isArray(ids) ? String(ids[0]) : 'hook_of_nobody';
}
