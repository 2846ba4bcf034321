import {
  isAssistantMessage,
  isHookResponseMessage,
  isHookStartedMessage,
  isInitMessage,
  isResultMessage,
  isStreamEvent,
  isTaskNotificationMessage,
  isTaskStartedMessage,
  isUserMessage,
  type ToolCallOutcomeKind,
  ToolCallReader,
} from 'claudewire';
import { toolResultsIn } from './frame-kind.js';
import { isJsonObject, type JsonObject, listOf, objectAt, shorten, textAt } from './json.js';
import { Spans } from './spans.js';
import type { Direction, Exchange, Span, SpanKind, SpanState } from './view-data.js';

export interface FramePlace {
  readonly frame: number;
  readonly dir: Direction;
  readonly proc: number;
  /** Milliseconds that never go back. */
  readonly clock: number;
}

/** Of one process. */
interface Run {
  process: number | undefined;
  turn: number | undefined;
  turns: number;
  /** A prompt that no turn has taken. */
  prompt: { readonly at: number; readonly frame: number } | undefined;
  readonly calls: ToolCallReader;
  /** Calls with an error, or whose process has gone: what follows may say that they were cut, or were not. */
  readonly errors: Set<string>;
}

const STATES: Readonly<Record<ToolCallOutcomeKind, SpanState>> = {
  ...{ ran: 'ok', failed: 'error', denied: 'denied', never_started: 'cancelled', unknown: 'unknown' },
};

/** Finds turns, tools, hooks, permissions and sub-agents in the frames. */
export class RunSpans {
  readonly #spans = new Spans();
  readonly #runs = new Map<number, Run>();
  /** By process and id of the tool call. */
  readonly #tools = new Map<string, number>();
  readonly #others = new Map<string, number>();
  readonly #requests = new Map<number, number>();
  readonly #endsByPrompt: boolean;

  /** @param endsByPrompt - the source has no results: a turn ends where the next prompt begins. */
  constructor(endsByPrompt: boolean) {
    this.#endsByPrompt = endsByPrompt;
  }

  add(place: FramePlace, frame: unknown): void {
    if (!isJsonObject(frame)) return;
    const run = this.#run(place.proc);
    if (place.dir === 'out') run.calls.add(frame);
    if (place.dir === 'meta') this.#meta(run, place, frame);
    else if (place.dir === 'in' && isUserMessage(frame)) this.#prompt(run, place);
    else if (place.dir === 'out') this.#out(run, place, frame);
  }

  asked({ id, subtype, from, request }: Exchange, { proc, clock }: FramePlace, frame: JsonObject): void {
    const asked = objectAt(frame, 'request');
    if (subtype === 'hook_callback') this.#run(proc).calls.addHook(asked.input);
    const { kind, label } = describeRequest(from, subtype, asked);
    const toolId = textAt(asked, 'tool_use_id') ?? textAt(asked.input, 'tool_use_id');
    const run = this.#run(proc);
    const parent = this.#tools.get(`${proc} ${toolId}`) ?? this.#parentOf(run);
    this.#requests.set(request, this.#spans.open({ kind, label, at: clock, frame: request, proc, parent, id }));
  }

  settled({ request, state }: Exchange, { clock, frame }: FramePlace, answer: JsonObject): void {
    const body = objectAt(objectAt(answer, 'response'), 'response');
    const ended: SpanState = state === 'cancelled' ? 'cancelled' : state === 'error' ? 'error' : 'ok';
    const decision = textAt(body, 'behavior') ?? textAt(objectAt(body, 'hookSpecificOutput'), 'permissionDecision');
    const isDenied = ended === 'ok' && decision === 'deny';
    this.#spans.close(this.#requests.get(request), { at: clock, frame, state: isDenied ? 'denied' : ended });
  }

  view(now: number): readonly Span[] {
    for (const [proc, { calls, errors }] of this.#runs) {
      for (const id of errors) {
        const tool = this.#tools.get(`${proc} ${id}`);
        const kind = calls.outcomeOf(id)?.kind;
        if (tool !== undefined && kind !== undefined) this.#spans.settle(tool, STATES[kind]);
      }
    }
    return this.#spans.view(now);
  }

  #run(proc: number): Run {
    const known = this.#runs.get(proc);
    if (known !== undefined) return known;
    const calls = new ToolCallReader();
    const run: Run = { process: undefined, turn: undefined, turns: 0, prompt: undefined, calls, errors: new Set() };
    this.#runs.set(proc, run);
    return run;
  }

  #parentOf(run: Run): number | undefined {
    return this.#spans.isOpen(run.turn) ? run.turn : run.process;
  }

  #meta(run: Run, { proc, clock, frame }: FramePlace, event: JsonObject): void {
    if (event.event === 'spawn' && run.process === undefined) {
      run.process = this.#spans.open({ kind: 'process', label: `process ${proc}`, at: clock, frame, proc });
    } else if (event.event === 'exit') {
      const state = event.code === 0 ? 'ok' : 'error';
      this.#spans.endProcess(proc, clock, frame);
      const prefix = `${proc} `;
      for (const key of this.#tools.keys()) if (key.startsWith(prefix)) run.errors.add(key.slice(prefix.length));
      this.#spans.close(run.process, { at: clock, frame, state });
      run.turn = undefined;
    }
  }

  #prompt(run: Run, { clock, frame }: FramePlace): void {
    if (this.#endsByPrompt && this.#spans.isOpen(run.turn)) {
      this.#spans.close(run.turn, { at: clock, frame, state: 'ok' });
      run.turn = undefined;
    }
    run.prompt ??= { at: clock, frame };
  }

  #out(run: Run, place: FramePlace, frame: JsonObject): void {
    const { proc, clock: at } = place;
    const parentId = textAt(frame, 'parent_tool_use_id');
    if (isInitMessage(frame)) this.#openTurn(run, place);
    else if (isAssistantMessage(frame)) this.#assistant(run, place, frame, parentId);
    else if (isStreamEvent(frame)) this.#openTurn(run, place);
    else if (isUserMessage(frame)) this.#toolResults(run, place, frame);
    else if (isResultMessage(frame)) this.#result(run, place, frame);
    else if (isTaskStartedMessage(frame)) this.#task(run, place, frame);
    else if (isTaskNotificationMessage(frame)) {
      const state = frame.status === 'completed' ? 'ok' : frame.status === 'stopped' ? 'cancelled' : 'error';
      this.#spans.close(this.#others.get(`${proc} task ${frame.task_id}`), { at, frame: place.frame, state });
    } else if (isHookStartedMessage(frame)) {
      const { hook_name: label, hook_id: id } = frame;
      const parent = this.#parentOf(run);
      const hook = {
        kind: 'hook',
        label: shorten(String(label), 60),
        at,
        frame: place.frame,
        proc,
        parent,
        id,
      } as const;
      this.#others.set(`${proc} hook ${id}`, this.#spans.open(hook));
    } else if (isHookResponseMessage(frame)) {
      const state = frame.outcome === 'success' ? 'ok' : frame.outcome === 'cancelled' ? 'cancelled' : 'error';
      this.#spans.close(this.#others.get(`${proc} hook ${frame.hook_id}`), { at, frame: place.frame, state });
    }
  }

  #openTurn(run: Run, { proc, clock, frame }: FramePlace): void {
    if (this.#spans.isOpen(run.turn)) return;
    const { at, frame: first } = run.prompt ?? { at: clock, frame };
    run.turns += 1;
    const label = `turn ${run.turns}`;
    run.turn = this.#spans.open({ kind: 'turn', label, at, frame: first, proc, parent: run.process });
    run.prompt = undefined;
  }

  #assistant(run: Run, place: FramePlace, frame: JsonObject, parentId: string | undefined): void {
    const { proc, clock: at } = place;
    const above = parentId === undefined ? undefined : this.#tools.get(`${proc} ${parentId}`);
    if (above === undefined) this.#openTurn(run, place);
    else this.#spans.rename(above, 'subagent');
    for (const block of listOf(objectAt(frame, 'message').content)) {
      const id = textAt(block, 'id');
      if (!isJsonObject(block) || block.type !== 'tool_use' || id === undefined) continue;
      const key = `${proc} ${id}`;
      if (this.#spans.isOpen(this.#tools.get(key))) continue;
      const parent = above ?? this.#parentOf(run);
      const label = shorten(String(block.name), 60);
      this.#tools.set(key, this.#spans.open({ kind: 'tool', label, at, frame: place.frame, proc, parent, id }));
    }
  }

  #toolResults(run: Run, { proc, clock: at, frame }: FramePlace, message: JsonObject): void {
    for (const { id, block } of toolResultsIn(message)) {
      if (run.calls.outcomeOf(id)?.kind !== 'ran') run.errors.add(id);
      const state = Reflect.get(block, 'is_error') === true ? 'error' : 'ok';
      this.#spans.close(this.#tools.get(`${proc} ${id}`), { at, frame, state });
    }
  }

  #result(run: Run, place: FramePlace, frame: JsonObject): void {
    this.#openTurn(run, place);
    const isBad = frame.is_error === true || frame.subtype !== 'success';
    this.#spans.close(run.turn, { at: place.clock, frame: place.frame, state: isBad ? 'error' : 'ok' });
    run.turn = undefined;
  }

  #task(run: Run, { proc, clock: at, frame }: FramePlace, message: JsonObject): void {
    const toolId = textAt(message, 'tool_use_id');
    const tool = this.#tools.get(`${proc} ${toolId}`);
    const isAgent = String(message.task_type).includes('agent');
    const kind: SpanKind = isAgent ? 'subagent' : 'tool';
    const label = shorten(textAt(message, 'description') ?? 'task', 60);
    const id = String(message.task_id);
    const parent = tool ?? this.#parentOf(run);
    this.#others.set(`${proc} task ${id}`, this.#spans.open({ kind, label, at, frame, proc, parent, id }));
  }
}

function describeRequest(
  from: Exchange['from'],
  subtype: string,
  request: JsonObject,
): { readonly kind: SpanKind; readonly label: string } {
  if (from === 'host') return { kind: 'request', label: shorten(subtype, 60) };
  const tool = textAt(request, 'tool_name');
  if (subtype === 'can_use_tool') {
    const kind = tool === 'AskUserQuestion' ? 'question' : 'permission';
    return { kind, label: shorten(tool ?? subtype, 60) };
  }
  if (subtype === 'hook_callback') {
    const event = textAt(request.input, 'hook_event_name') ?? textAt(request, 'callback_id') ?? subtype;
    return { kind: 'hook', label: shorten(event, 60) };
  }
  if (subtype === 'mcp_message') {
    const message = objectAt(request, 'message');
    const name = textAt(message.params, 'name') ?? textAt(message, 'method') ?? '';
    return { kind: 'mcp', label: shorten(`${textAt(request, 'server_name') ?? ''} ${name}`, 60) };
  }
  const isQuestion = subtype === 'elicitation' || subtype.includes('dialog');
  return { kind: isQuestion ? 'question' : 'request', label: shorten(subtype, 60) };
}
