import type { DriverStep, NotConverted, RecordingLine } from 'claudewire/testing';
import { isJsonObject, type JsonObject } from '../util/json.js';
import { cueOf, driverCallbacks, driverOptions } from './driver-options.js';
import { callbackInput, pick, type Question, questionsIn } from './questions.js';

/** What one process of a recording saw. */
export interface ProcessLines {
  /** From 1. */
  readonly proc: number;
  readonly lines: readonly RecordingLine[];
}

interface DriverLane {
  readonly steps: readonly DriverStep[];
  readonly features: readonly string[];
  /** Empty, or the lane cannot be driven. */
  readonly notConverted: readonly NotConverted[];
}

/** Makes driver commands of frames that were written by hand: what a program does to make an SDK write them. */
export function driverLane(processes: readonly ProcessLines[]): DriverLane {
  const lanes = processes.map((source) => new RunMaker(source).make());
  const notConverted = lanes.flatMap(({ problems }) => problems);
  return {
    steps: lanes.flatMap(({ steps }) => steps),
    features: [...new Set(['query-stream', ...lanes.flatMap(({ features }) => features)])],
    notConverted: [...new Set(notConverted)].map((why) => ({ what: 'driver', why })),
  };
}

interface RunLane {
  readonly steps: readonly DriverStep[];
  readonly features: readonly string[];
  readonly problems: readonly string[];
}

/** The commands of one process, which is one run of the driver. */
class RunMaker {
  readonly #source: ProcessLines;
  readonly #questions: ReadonlyMap<string, Question>;
  readonly #run: { readonly run?: string };
  readonly #steps: DriverStep[] = [];
  readonly #features: string[] = [];
  readonly #problems: string[] = [];
  /** Names of commands that wait for their reply, by request id. */
  readonly #calls = new Map<string, string>();
  #callCount = 0;
  #hasResult = false;

  constructor(source: ProcessLines) {
    this.#source = source;
    this.#questions = questionsIn(source.lines);
    this.#run = source.proc === 1 ? {} : { run: `run-${source.proc}` };
  }

  make(): RunLane {
    this.#start();
    for (const { dir, data } of this.#source.lines) {
      if (dir === 'err') continue;
      if (!isJsonObject(data)) {
        if (dir === 'in') this.#problems.push('a line that is no frame: no SDK writes one');
      } else if (dir === 'in') this.#in(data);
      else if (dir === 'out') this.#out(data);
      else this.#meta(data);
    }
    for (const name of this.#calls.values()) this.#problems.push(`${name} is never answered`);
    return { steps: this.#steps, features: this.#features, problems: this.#problems };
  }

  #start(): void {
    const questions = [...this.#questions.values()];
    const { options, features, problems } = driverOptions(this.#argv(), this.#initialize(), questions);
    const { callbacks, problems: more } = driverCallbacks(questions);
    this.#features.push(...features);
    this.#problems.push(...problems, ...more);
    this.#steps.push({
      drive: {
        command: 'start',
        ...this.#run,
        mode: 'query',
        stream: true,
        ...(Object.keys(options).length === 0 ? {} : { options }),
        ...(Object.keys(callbacks).length === 0 ? {} : { callbacks }),
      },
    });
  }

  #in(frame: JsonObject): void {
    if (frame.type === 'user') this.#send(frame);
    else if (frame.type === 'control_request') this.#call(frame);
    else if (frame.type === 'control_response') this.#answer(frame);
    else this.#problems.push(`no driver command writes ${String(frame.type)}`);
  }

  #send(frame: JsonObject): void {
    const message = isJsonObject(frame.message) ? frame.message : {};
    if (!('content' in message)) this.#problems.push('a user message without content');
    const { type, session_id, parent_tool_use_id, message: _, ...fields } = frame;
    this.#steps.push({
      drive: {
        command: 'send',
        ...this.#run,
        content: message.content,
        ...(Object.keys(fields).length === 0 ? {} : { fields }),
      },
    });
  }

  #call(frame: JsonObject): void {
    const request = isJsonObject(frame.request) ? frame.request : {};
    const { subtype } = request;
    if (subtype === 'initialize') {
      if (request !== this.#initialize()) this.#problems.push('a second initialize');
      return;
    }
    const call = methodOf(request);
    if (call === undefined) {
      this.#problems.push(`no method writes ${String(subtype)}`);
      return;
    }
    this.#callCount += 1;
    const name = `call-${this.#source.proc}-${this.#callCount}-${String(subtype)}`;
    this.#calls.set(String(frame.request_id), name);
    this.#features.push('query:methods', `call:${call.method}`);
    this.#steps.push({ drive: { command: 'call', ...this.#run, method: call.method, args: call.args }, as: name });
  }

  #answer(frame: JsonObject): void {
    const response = isJsonObject(frame.response) ? frame.response : {};
    const question = this.#questions.get(String(response.request_id));
    if (question === undefined) this.#problems.push('an answer to nothing: no SDK writes one');
    else if (question.answer !== undefined && question.isHeld && question.name !== undefined) {
      this.#steps.push({ drive: { command: 'cue', ...this.#run, name: cueOf(question) } });
    }
  }

  #out(frame: JsonObject): void {
    switch (frame.type) {
      case 'control_response':
        this.#reply(isJsonObject(frame.response) ? frame.response : {});
        return;
      case 'control_request':
        this.#asked(this.#questions.get(String(frame.request_id)));
        return;
      case 'control_cancel_request':
        this.#cancelled(this.#questions.get(String(frame.request_id)));
        return;
      default: {
        if (frame.type === 'result') this.#hasResult = true;
        const message = visible(frame);
        if (message !== undefined) this.#observe({ what: 'message', message });
      }
    }
  }

  #reply({ request_id: id, subtype }: JsonObject): void {
    const reply = this.#calls.get(String(id));
    if (reply === undefined) return;
    this.#calls.delete(String(id));
    this.#steps.push(subtype === 'error' ? { reply, failure: {} } : { reply });
  }

  #asked(question: Question | undefined): void {
    if (question?.name === undefined) return;
    const { name, call } = question;
    this.#observe({ what: 'callback', name, call, input: callbackInput(question) });
  }

  #cancelled(question: Question | undefined): void {
    if (question?.name === undefined) return;
    this.#observe({ what: 'cancelled', name: question.name, call: question.call });
  }

  #meta(event: JsonObject): void {
    if (event.event === 'stdin_closed') {
      this.#steps.push({ drive: { command: 'end_input', ...this.#run } });
    } else if (event.event === 'exit') {
      this.#observe(event.code === 0 ? { what: 'end' } : { what: 'error' });
      // A client that was closed at the result does not see how the process ended.
      if (event.code !== 0 && this.#hasResult) this.#features.push('query:native');
    } else if (event.event === 'signal_sent') {
      this.#problems.push(`no driver command sends ${String(event.signal)}`);
    } else if (event.event === 'stdout_closed_by_reader') {
      this.#problems.push('no driver command closes stdout');
    }
  }

  #observe(pattern: { readonly what: 'message' | 'callback' | 'cancelled' | 'end' | 'error' } & JsonObject): void {
    const { what, ...rest } = pattern;
    const observe = { what, ...(literal(rest) as JsonObject) };
    this.#steps.push({ observe, ...this.#run });
  }

  #argv(): readonly string[] {
    const spawn = this.#source.lines
      .map(({ data }) => data)
      .find((data) => isJsonObject(data) && data.event === 'spawn');
    const argv = isJsonObject(spawn) ? spawn.argv : undefined;
    return Array.isArray(argv) ? argv.map(String).slice(1) : [];
  }

  /** The first one, or an empty one. */
  #initialize(): JsonObject {
    for (const { dir, data } of this.#source.lines) {
      const request = dir === 'in' && isJsonObject(data) ? data.request : undefined;
      if (isJsonObject(request) && request.subtype === 'initialize') return request;
    }
    return {};
  }
}

/**
 * The part of a message that a scenario looks at; `undefined` for what it leaves alone. Ids and figures are not in it: not
 * every program shows them, and scenarios of their own look at them.
 */
function visible(frame: JsonObject): JsonObject | undefined {
  const message = isJsonObject(frame.message) ? frame.message : {};
  switch (frame.type) {
    case 'assistant':
      return { type: 'assistant', message: { content: visibleContent(message.content) } };
    case 'result':
      return pick(frame, ['type', 'subtype', 'is_error', 'result', 'structured_output']);
    case 'system':
      return frame.subtype === 'init' ? pick(frame, ['type', 'subtype']) : undefined;
    case 'user':
      return Array.isArray(message.content)
        ? { type: 'user', message: { content: visibleContent(message.content) } }
        : undefined;
    default:
      return undefined;
  }
}

const HIDDEN_OF_BLOCKS = ['id', 'tool_use_id', 'is_error'];

function visibleContent(content: unknown): unknown {
  if (!Array.isArray(content)) return content;
  return content.map((block: unknown) =>
    isJsonObject(block)
      ? Object.fromEntries(Object.entries(block).filter(([key]) => !HIDDEN_OF_BLOCKS.includes(key)))
      : block,
  );
}

/** The same data as a pattern: no text in it is a variable. */
function literal(value: unknown): unknown {
  if (typeof value === 'string') return value.startsWith('$') ? `$${value}` : value;
  if (Array.isArray(value)) return value.map(literal);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, literal(each)]));
}

interface MethodCall {
  readonly method: string;
  readonly args: readonly unknown[];
}

/** The method that writes each control request, and its arguments: fields of the request. */
const METHODS: Readonly<Record<string, readonly [method: string, ...fields: readonly string[]]>> = {
  interrupt: ['interrupt'],
  set_model: ['setModel', 'model'],
  set_permission_mode: ['setPermissionMode', 'mode'],
  set_max_thinking_tokens: ['setMaxThinkingTokens', 'max_thinking_tokens'],
  mcp_status: ['mcpServerStatus'],
  mcp_set_servers: ['setMcpServers', 'servers'],
  mcp_reconnect: ['reconnectMcpServer', 'serverName'],
  mcp_toggle: ['toggleMcpServer', 'serverName', 'enabled'],
  rewind_files: ['rewindFiles', 'user_message_id'],
  stop_task: ['stopTask', 'task_id'],
  get_context_usage: ['getContextUsage'],
  apply_flag_settings: ['applyFlagSettings', 'settings'],
  background_tasks: ['backgroundTasks', 'tool_use_id'],
  seed_read_state: ['seedReadState', 'path', 'mtime'],
  cancel_async_message: ['cancelAsyncMessage', 'message_uuid'],
  get_settings: ['getSettings'],
  get_hooks_listing: ['getHooksListing'],
  list_permission_rules: ['listPermissionRules'],
};

/** Fields that a program leaves out by calling the method without an argument. */
const OPTIONAL_FIELDS = ['model', 'tool_use_id'];

/** Requests that are not for the program to send. `request` writes every other that no method writes as it is. */
const OF_THE_CLI = ['initialize', 'mcp_message', 'hook_callback', 'can_use_tool', 'elicitation'];

/** The method call that writes a control request; `undefined` when none does. */
function methodOf(request: JsonObject): MethodCall | undefined {
  const subtype = String(request.subtype);
  const [method, ...fields] = Object.hasOwn(METHODS, subtype) ? (METHODS[subtype] ?? []) : [];
  const isCarried = Object.keys(request).every((name) => ['subtype', 'dry_run', ...fields].includes(name));
  if (method === undefined || !isCarried) {
    if (typeof request.subtype !== 'string' || OF_THE_CLI.includes(subtype)) return undefined;
    const { subtype: _, ...payload } = request;
    return { method: 'request', args: [subtype, payload] };
  }
  const given = fields.filter((field) => field in request || !OPTIONAL_FIELDS.includes(field));
  const args = given.map((field) => request[field]);
  return { method, args: 'dry_run' in request ? [...args, { dryRun: request.dry_run }] : args };
}
