import { isJsonObject, type JsonObject } from '../../util/json.js';
import type { CliStep } from '../scenario/scenario-types.js';
import type { ConversionOptions } from './conversion-options.js';
import { eitherForm } from './either-form.js';
import type { ProcessLines, RecordingLine } from './recording.js';
import { FREE, spawnExpectation } from './spawn-expectation.js';
import { HostTexts } from './templates.js';

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'];
/** Fields of a user message that the client makes up anew, or that say nothing. */
const VOLATILE_FIELDS = ['session_id', 'timestamp', 'uuid'];

/** A part of a recording that has no step. */
export interface NotConverted {
  /** What it is, such as `in` or `driver`. */
  readonly what: string;
  readonly why: string;
}

interface CliLane {
  readonly steps: readonly CliStep[];
  /** The answer to an `initialize` that no step expects. */
  readonly initializeAnswer: JsonObject | undefined;
  readonly notConverted: readonly NotConverted[];
}

/** Makes the section of one process: what it expects, what it says, how it ends. */
export function cliLane(source: ProcessLines, madeUp: ReadonlySet<string>, options: ConversionOptions): CliLane {
  return new CliLaneMaker(source, madeUp, options).make();
}

class CliLaneMaker {
  readonly #source: ProcessLines;
  readonly #options: ConversionOptions;
  readonly #madeUp: ReadonlySet<string>;
  readonly #questions: ReadonlyMap<string, Question>;
  readonly #texts = new HostTexts();
  readonly #steps: CliStep[] = [];
  readonly #notConverted: NotConverted[] = [];
  /** Ids of requests that are answered by the player itself. */
  readonly #selfAnswered = new Set<unknown>();
  #initializeAnswer: JsonObject | undefined;
  /** Where the step is that waits for the end of stdin. */
  #eof = -1;
  #isOver = false;

  constructor(source: ProcessLines, madeUp: ReadonlySet<string>, options: ConversionOptions) {
    this.#source = source;
    this.#madeUp = madeUp;
    this.#questions = questionsIn(source.lines);
    this.#options = options;
  }

  make(): CliLane {
    for (const line of this.#source.lines) if (!this.#isOver) this.#line(line);
    return { steps: this.#steps, initializeAnswer: this.#initializeAnswer, notConverted: this.#notConverted };
  }

  #line({ dir, data, t }: RecordingLine): void {
    if (dir === 'in') this.#in(data, t);
    else if (dir === 'out') this.#out(data);
    else if (dir === 'err') this.#steps.push({ stderr: `${String(data)}\n` });
    else if (isJsonObject(data)) this.#meta(data);
  }

  #in(data: unknown, t: number): void {
    if (!isJsonObject(data)) {
      this.#leaveOut('in', `at ${t} ms: a line that is no frame; no SDK writes one`);
      return;
    }
    if (data.type === 'control_request') this.#request(data, t);
    else if (data.type === 'user') this.#user(data, t);
    else if (data.type === 'control_response') this.#response(data, t);
    else this.#expect(data, t);
  }

  #expect(frame: JsonObject, t: number, free?: readonly string[]): void {
    const onFree = (path: string): void => this.#leaveOut('in', `at ${t} ms: ${path}: ${FREE}`);
    const pattern = this.#texts.pattern(frame, onFree);
    const answered = isJsonObject(frame.response) ? this.#questions.get(String(frame.response.request_id)) : undefined;
    const asked = answered?.request.input;
    const either = eitherForm(pattern, isJsonObject(asked) ? this.#texts.pattern(asked, () => {}) : undefined);
    this.#steps.push({ in: this.#options.exact === true ? { ...either, $exact: free ?? true } : either });
  }

  #request(frame: JsonObject, t: number): void {
    const written = isJsonObject(frame.request) ? frame.request : {};
    const request = this.#source.isByHand ? withoutServers(written) : written;
    const id = String(frame.request_id);
    const isPlain = request.subtype === 'initialize' && Object.keys(request).length === 1;
    if (this.#options.exact !== true && isPlain && this.#initializeAnswer === undefined && this.#isAnsweredWell(id)) {
      this.#selfAnswered.add(id);
      return;
    }
    this.#texts.capture(id, 'req');
    for (const hookId of hookIds(request)) this.#texts.capture(hookId, 'hook');
    this.#expect({ ...frame, request }, t);
  }

  #response(frame: JsonObject, t: number): void {
    const response = isJsonObject(frame.response) ? frame.response : {};
    const question = this.#questions.get(String(response.request_id));
    const expected = this.#source.isByHand ? expectedAnswer(frame, question) : frame;
    if (expected !== undefined) this.#expect(expected, t);
    else this.#leaveOut('in', `at ${t} ms: the answer to a question that the CLI had cancelled`);
  }

  #user(frame: JsonObject, t: number): void {
    const { uuid } = frame;
    // Of a frame that was written by hand a client may leave out what the CLI does without.
    const fields = this.#source.isByHand ? ['session_id', 'parent_tool_use_id'] : VOLATILE_FIELDS;
    const expected = Object.fromEntries(Object.entries(frame).filter(([key]) => !fields.includes(key)));
    if (!this.#source.isByHand && typeof uuid === 'string' && this.#isRepeated(uuid)) {
      this.#texts.capture(uuid, 'uuid');
      expected.uuid = uuid;
    }
    this.#expect(expected, t, fields);
  }

  #out(data: unknown): void {
    if (!isJsonObject(data)) {
      this.#steps.push({ raw: `${String(data)}\n` });
      return;
    }
    this.#texts.see(data);
    const response = isJsonObject(data.response) ? data.response : {};
    const frame = this.#options.trim === true ? trimFrame(data) : data;
    if (data.type === 'control_response' && this.#selfAnswered.has(response.request_id)) {
      const answer = isJsonObject(frame.response) ? frame.response.response : undefined;
      if (isJsonObject(answer)) this.#initializeAnswer = answer;
      return;
    }
    const out = this.#texts.template(frame);
    // `${name}` in an `out` step is a variable, and cannot be escaped.
    const hasBraces = JSON.stringify(out).includes('${');
    this.#steps.push(hasBraces ? { raw: `${JSON.stringify(frame)}\n` } : { out });
  }

  #meta(event: JsonObject): void {
    switch (event.event) {
      case 'spawn':
        this.#steps.push({
          spawn: spawnExpectation(event, {
            isByHand: this.#source.isByHand,
            options: this.#options,
            madeUp: this.#madeUp,
            texts: this.#texts,
            leaveOut: (what, why) => this.#leaveOut(what, why),
          }),
        });
        break;
      case 'stdin_closed':
        this.#eof = this.#steps.push({ wait: 'EOF' }) - 1;
        break;
      case 'signal_sent':
      case 'signal_received':
        this.#signal(String(event.signal));
        break;
      case 'exit':
        this.#exit(event);
        break;
      case 'stdout_closed_by_reader':
        this.#leaveOut('meta', 'the reader closed stdout: no step waits for that');
        break;
      case 'line_too_long':
        this.#leaveOut(String(event.dir), `a line of ${String(event.bytes)} bytes`);
        break;
    }
  }

  #signal(signal: string): void {
    if (SIGNALS.includes(signal)) {
      // Asked for by `wait`: the membership was checked just now.
      this.#steps.push({ wait: signal as 'SIGTERM' });
      return;
    }
    if (signal !== 'SIGKILL') {
      this.#leaveOut('meta', `the signal ${signal}: no step waits for it`);
      return;
    }
    this.#steps.push({ ignore: ['EOF', 'SIGTERM'] });
    this.#isOver = true;
  }

  #exit({ code, signal }: JsonObject): void {
    if (this.#source.isByHand) this.#waitLate();
    if (typeof code === 'number') this.#steps.push({ exit: code });
    else if (['SIGTERM', 'SIGKILL', 'SIGSEGV', 'SIGABRT'].includes(String(signal))) {
      // Checked just now.
      this.#steps.push({ kill: signal as 'SIGTERM' });
    } else this.#leaveOut('meta', `the death by ${String(signal)}: no step dies by it`);
  }

  /**
   * By hand stdin was closed when the test said so; an SDK closes it when it has seen enough. What the CLI only tells
   * comes first, then.
   */
  #waitLate(): void {
    const after = this.#steps.slice(this.#eof + 1);
    const isTelling = (step: CliStep): boolean =>
      'stderr' in step || ('out' in step && !String(step.out.type).startsWith('control_'));
    if (this.#eof === -1 || !after.every(isTelling)) return;
    this.#steps.splice(this.#eof, 1);
    this.#steps.push({ wait: 'EOF' });
  }

  /** Whether a request has a success answer with a payload: the only kind the player gives by itself. */
  #isAnsweredWell(id: string): boolean {
    return this.#source.lines.some(({ dir, data }) => {
      const response = dir === 'out' && isJsonObject(data) ? data.response : undefined;
      return isJsonObject(response) && response.request_id === id && isJsonObject(response.response);
    });
  }

  #isRepeated(text: string): boolean {
    return this.#source.lines.some(({ dir, data }) => dir === 'out' && JSON.stringify(data).includes(text));
  }

  #leaveOut(what: string, why: string): void {
    this.#notConverted.push({ what, why });
  }
}

/** A request of the CLI. */
interface Question {
  readonly request: JsonObject;
  /** The CLI took it back before it was answered. */
  readonly isCancelled: boolean;
}

/** The requests of the CLI in one process, by id. */
export function questionsIn(lines: readonly RecordingLine[]): ReadonlyMap<string, Question> {
  const questions = new Map<string, Question>();
  const answered = new Set<string>();
  for (const { dir, data } of lines) {
    if (!isJsonObject(data)) continue;
    const id = String(data.request_id);
    const { request, response } = data;
    if (dir === 'out' && data.type === 'control_request') {
      questions.set(id, { request: isJsonObject(request) ? request : {}, isCancelled: false });
    } else if (dir === 'in' && data.type === 'control_response' && isJsonObject(response)) {
      answered.add(String(response.request_id));
    } else if (dir === 'out' && data.type === 'control_cancel_request' && !answered.has(id)) {
      const question = questions.get(id);
      if (question !== undefined) questions.set(id, { ...question, isCancelled: true });
    }
  }
  return questions;
}

/** The ids under which an `initialize` registers hooks. */
function hookIds(request: JsonObject): readonly string[] {
  const hooks = isJsonObject(request.hooks) ? request.hooks : {};
  return Object.values(hooks)
    .flatMap((matchers): unknown[] => (Array.isArray(matchers) ? matchers : []))
    .flatMap((matcher): unknown => (isJsonObject(matcher) ? matcher.hookCallbackIds : []))
    .filter((id) => typeof id === 'string');
}

/**
 * What an SDK will write where somebody wrote a control response by hand: of an MCP server's answers only what its
 * tools decide. `undefined` when an SDK writes nothing: the CLI had taken its question back.
 */
function expectedAnswer(frame: JsonObject, question: Question | undefined): JsonObject | undefined {
  if (question?.isCancelled === true) return undefined;
  const message = question?.request.message;
  const response = frame.response;
  const payload = isJsonObject(response) ? response.response : undefined;
  const reply = isJsonObject(payload) ? payload.mcp_response : undefined;
  if (!isJsonObject(message) || !isJsonObject(reply) || !isJsonObject(response)) return frame;
  const loosened = loosen(String(message.method), reply);
  if (loosened === undefined) return frame;
  return { ...frame, response: { ...response, response: { mcp_response: loosened } } };
}

function loosen(method: string, reply: JsonObject): JsonObject | undefined {
  const { id, result } = reply;
  if (method === 'initialize') return { id, result: {} };
  if (method.startsWith('notifications/')) return {};
  const tools = isJsonObject(result) ? result.tools : undefined;
  if (method !== 'tools/list' || !Array.isArray(tools)) return undefined;
  return { id, result: { tools: tools.map((tool: JsonObject) => ({ name: tool.name })) } };
}

/** A request without the names of in-process servers: an SDK may give them on the command line instead. */
function withoutServers(request: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(request).filter(([key]) => !key.startsWith('sdkMcpServer')));
}

const KEPT = 2;
/** Lists that only tell what a CLI has. */
const LISTS = new Set([
  ...['tools', 'slash_commands', 'terminal_slash_commands', 'agents', 'skills', 'plugins'],
  ...['commands', 'models', 'available_output_styles', 'memory_paths'],
]);

/** Sums of a result that no SDK looks into. */
const SUMS = ['modelUsage', 'subagent_stats'];

/** A frame with the lists of `system/init` and of the answer to `initialize` cut short, a result without its sums. */
function trimFrame(frame: JsonObject): JsonObject {
  if (frame.type === 'result') return Object.fromEntries(Object.entries(frame).filter(([key]) => !SUMS.includes(key)));
  if (frame.type === 'system' && frame.subtype === 'init') return trimLists(frame);
  const outer = frame.response;
  if (frame.type !== 'control_response' || !isJsonObject(outer)) return frame;
  const answer = outer.response;
  if (!isJsonObject(answer) || !('output_style' in answer)) return frame;
  return { ...frame, response: { ...outer, response: trimLists(answer) } };
}

function trimLists(object: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => [
      key,
      LISTS.has(key) && Array.isArray(value) ? value.slice(0, KEPT) : value,
    ]),
  );
}
