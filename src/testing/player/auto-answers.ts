import type { ControlRequestMap, ControlRequestSubtype } from '../../query/control-requests.js';
import { isJsonObject, type JsonObject, parseJsonObject, stringField } from '../../util/json.js';
import type { CliStep, Expectation, PlacedStep, ScenarioHeader } from '../scenario/scenario-types.js';
import { jsonTextOfValue, occurrences } from './cli-flags.js';
import { nearestText } from './inbox.js';
import { match, Variables } from './patterns.js';
import { PlayFailure } from './verdict.js';

/** The least a client needs to go on; shapes as the CLI sends them. Other subtypes get `{}`. */
const BUILT_IN = {
  initialize: {
    commands: [],
    agents: [],
    models: [],
    output_style: 'default',
    available_output_styles: ['default'],
    account: {},
    claude_code_version: '2.1.330',
    current_permission_mode: 'default',
    hook_on_failure_supported: true,
  },
  interrupt: { still_queued: [] },
  mcp_status: { mcpServers: [] },
  mcp_set_servers: { added: [], removed: [], errors: {} },
  mcp_read_resource: { contents: [] },
  file_suggestions: { suggestions: [] },
  get_context_usage: {
    ...{ model: 'scripted', totalTokens: 0, maxTokens: 200_000, rawMaxTokens: 200_000, percentage: 0 },
    ...{ categories: [], gridRows: [], memoryFiles: [], mcpTools: [], agents: [], isAutoCompactEnabled: false },
    apiUsage: null,
  },
  list_permission_rules: { state: { rules: [], workspaceDirectories: [], originalCwd: '', managedOnly: false } },
  reload_skills: { skills: [] },
  reload_plugins: { commands: [], agents: [], plugins: [], mcpServers: [], error_count: 0 },
  reload_output_styles: { available_output_styles: ['default'] },
  rewind_files: { canRewind: false },
  cancel_async_message: { cancelled: false },
} satisfies { readonly [S in ControlRequestSubtype]?: ControlRequestMap[S]['output'] };
const BUILT_IN_BY_SUBTYPE: ReadonlyMap<string, JsonObject> = new Map(Object.entries(BUILT_IN));

const OTHERS = [
  ...['set_permission_mode', 'set_model', 'set_max_thinking_tokens', 'mcp_reconnect', 'mcp_toggle', 'mcp_call'],
  ...['set_mcp_permission_mode_override', 'get_settings', 'get_session_cost', 'get_usage', 'get_hooks_listing'],
  ...['get_binary_version', 'list_models', 'read_file', 'stop_task', 'background_tasks', 'apply_flag_settings'],
  ...['update_settings', 'rename_session', 'seed_read_state', 'set_has_subscribers', 'register_repo_root'],
  'end_session',
] as const satisfies readonly ControlRequestSubtype[];
type Missing = Exclude<ControlRequestSubtype, keyof typeof BUILT_IN | (typeof OTHERS)[number]>;

/** Control requests that are known to be asked. Does not compile when one is missing. */
export const KNOWN_REQUESTS: ReadonlySet<string> = new Set<[Missing] extends [never] ? string : Missing>([
  ...Object.keys(BUILT_IN),
  ...OTHERS,
]);

/** Settings of the flag alone are in force: no file of a user or a machine is played. */
function settingsAnswer(argv: readonly string[]): JsonObject {
  const settings = settingsOf(argv);
  return {
    effective: settings ?? {},
    sources: settings === undefined ? [] : [{ source: 'flagSettings', settings }],
    applied: {},
  };
}

/** What `--settings` gives, a path or JSON; `undefined` without it, and when it cannot be read. */
function settingsOf(argv: readonly string[]): JsonObject | undefined {
  const given = occurrences('--settings', argv, '').at(-1)?.value;
  return given === undefined ? undefined : parseJsonObject(jsonTextOfValue(given, '--settings', ''));
}

/** The subtype of a control request; `undefined` for other frames. */
export function requestSubtype(frame: JsonObject): string | undefined {
  if (frame.type !== 'control_request' || !isJsonObject(frame.request)) return undefined;
  return stringField(frame.request, 'subtype');
}

/** The success answer to a control request. */
export function successAnswer(request: JsonObject, response: JsonObject): JsonObject {
  return { type: 'control_response', response: { subtype: 'success', request_id: request.request_id, response } };
}

/** The error answer to a control request. */
export function errorAnswer(request: JsonObject, error: string): JsonObject {
  return { type: 'control_response', response: { subtype: 'error', request_id: request.request_id, error } };
}

/** Decides which control requests are answered without a step. */
export class AutoAnswers {
  readonly #header: ScenarioHeader;
  readonly #expected: Set<Expectation>;
  readonly #argv: readonly string[];

  /** @param argv - The CLI's arguments. */
  constructor(header: ScenarioHeader, steps: readonly PlacedStep<CliStep>[], argv: readonly string[]) {
    this.#argv = argv;
    this.#header = header;
    this.#expected = new Set(steps.flatMap(({ step }) => expectedRequests(step)));
  }

  /** From here on this step, with the steps inside it, expects nothing more. */
  finish(step: CliStep): void {
    for (const expected of expectedRequests(step)) this.#expected.delete(expected);
  }

  /** The answer to send now; `null`: none; `undefined`: a step's matter. @throws PlayFailure nothing expects the frame. */
  answerTo(frame: JsonObject): JsonObject | null | undefined {
    const subtype = requestSubtype(frame);
    if (subtype === undefined || this.#isExpected(frame)) return undefined;
    const { answers = {}, answersOnly } = this.#header;
    const scripted = Object.hasOwn(answers, subtype) ? answers[subtype] : undefined;
    if (scripted === null) return null;
    if (scripted === undefined && answersOnly === true) throw this.#unexpected(subtype, frame);
    const builtIn = subtype === 'get_settings' ? settingsAnswer(this.#argv) : BUILT_IN_BY_SUBTYPE.get(subtype);
    return successAnswer(frame, { ...builtIn, ...scripted });
  }

  #unexpected(subtype: string, frame: JsonObject): PlayFailure {
    const nearest = [...this.#expected].find((step) => requestSubtype(step.in) === subtype)?.in;
    const result = nearest && match(nearest, frame, new Variables());
    const difference = result?.ok === false ? result.difference : undefined;
    const message = `no step expects this request: ${subtype}${nearestText(undefined, difference)}`;
    return new PlayFailure('mismatch', message, nearest, difference);
  }

  #isExpected(frame: JsonObject): boolean {
    // Nothing is bound here: whether a later step takes the frame cannot hang on ids it will capture.
    const unbound = new Variables();
    for (const step of this.#expected) {
      if (match(step.in, frame, unbound).ok) return true;
    }
    return false;
  }
}

/** Expectations that name the request's subtype: only those keep a request from its default answer. */
function expectedRequests(step: CliStep): readonly Expectation[] {
  if ('repeat' in step) return step.steps.flatMap(expectedRequests);
  const expected = 'in' in step ? [step] : 'inAny' in step ? step.inAny : [];
  return expected.filter((each) => requestSubtype(each.in) !== undefined);
}
