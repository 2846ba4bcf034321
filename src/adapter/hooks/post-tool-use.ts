import type { SyncHookJSONOutput } from '../../control/hook-outputs.js';
import { isJsonObject, type JsonObject, jsonTextOf, omitUndefined, stringField } from '../../util/json.js';
import { deliver } from '../logging/log.js';
import { FileModified, ModifiedFiles, Plan, PlanUpdated, type Session, type Todo } from '../state/index.js';
import { createToolInvoked } from '../state/internal.js';
import { type HookedRun, type HookRun, limitOf } from './hook-run.js';
import { writtenPath } from './path-check.js';
import { readToolCall, type ToolCall } from './tool-call.js';

/** A tool has run. */
export function postToolUse(input: unknown, run: HookedRun, toolUseId: string | undefined): SyncHookJSONOutput {
  const call = endedCall(input, run, toolUseId);
  if (call === undefined) return {};
  const response = call.input.tool_response;
  const success = !hasFailed(response);
  publishToolInvoked(call, { result: response, success }, run);
  if (success) {
    recordModifiedFile(call, run.session);
    recordPlan(call, response, run.session);
  }
  return isFinalOutput(call) ? takeOutput(call, run) : {};
}

/** A tool failed: the CLI calls this in place of PostToolUse. */
export function postToolUseFailure(input: unknown, run: HookedRun, toolUseId: string | undefined): SyncHookJSONOutput {
  const call = endedCall(input, run, toolUseId);
  if (call === undefined) return {};
  const error = stringField(call.input, 'error') ?? 'The tool failed';
  publishToolInvoked(call, { result: error, success: false, error }, run);
  return {};
}

/** Counts the call. `undefined` when it is not to be reported here: the bridge reports its own calls. */
function endedCall(input: unknown, run: HookedRun, toolUseId: string | undefined): ToolCall | undefined {
  const call = readToolCall(input, toolUseId);
  if (call === undefined) return undefined;
  const { state } = run;
  state.toolCount += 1;
  state.toolsUsed.set(call.toolName, (state.toolsUsed.get(call.toolName) ?? 0) + 1);
  if (call.toolUseId !== undefined) run.callIds.forget(call.toolUseId);
  return call.toolName.startsWith(run.bridgePrefix) ? undefined : call;
}

function hasFailed(response: unknown): boolean {
  if (!isJsonObject(response)) return false;
  return ['is_error', 'isError', 'interrupted'].some((flag) => response[flag] === true);
}

/** How a native call ended; `result` as the CLI gave it. */
type ToolOutcome = { readonly result: unknown; readonly success: boolean; readonly error?: string };

/** Tells the session. A failing event bus never affects the hook, except for the limits it reports. */
function publishToolInvoked(call: ToolCall, outcome: ToolOutcome, run: HookRun): void {
  const { toolName, toolInput, toolUseId, input } = call;
  const { duration_ms: durationMs, agent_id: agentId } = input;
  run.log.debug('hook.tool_invoked', { toolName, success: outcome.success, callId: toolUseId });
  let limit: unknown;
  const publish = () =>
    run.session.eventBus.publish(
      createToolInvoked({
        adapter: run.adapterName,
        sessionId: run.session.sessionId,
        promptName: run.promptName,
        name: toolName,
        params: toolInput,
        ...outcome,
        error: outcome.error,
        renderedOutput: renderedOutput(outcome.result),
        callId: toolUseId,
        durationMs: typeof durationMs === 'number' ? durationMs : undefined,
        source: 'native',
        agentId: typeof agentId === 'string' ? agentId : undefined,
      }),
    );
  deliver(run.log, { handler: 'bus', type: 'toolInvoked' }, () => {
    try {
      return publish();
    } catch (error) {
      if (limitOf(error) === undefined) throw error;
      limit = error;
      return undefined;
    }
  });
  if (limit !== undefined) throw limit;
}

/** A tool's response as text for an event: its stdout, else its text, else its JSON. */
function renderedOutput(response: unknown): string {
  return stdoutOf(response) ?? textContentOf(response) ?? jsonTextOf(response) ?? '';
}

function stdoutOf(response: unknown): string | undefined {
  const stdout = isJsonObject(response) ? response.stdout : undefined;
  return typeof stdout === 'string' && stdout !== '' ? stdout : undefined;
}

/** Of a string, of text blocks, or of an object that has either as its `content`. */
function textContentOf(response: unknown): string | undefined {
  if (typeof response === 'string') return response;
  if (isJsonObject(response)) {
    const { content } = response;
    return typeof content === 'string' || Array.isArray(content) ? textContentOf(content) : undefined;
  }
  if (!Array.isArray(response)) return undefined;
  const texts = response
    .filter(isJsonObject)
    .filter(({ type, text }) => type === 'text' && typeof text === 'string')
    .map(({ text }) => text);
  return texts.length === 0 ? undefined : texts.join('\n');
}

/** Notes the file that a successful call wrote. */
function recordModifiedFile(call: ToolCall, session: Session): void {
  const path = writtenPath(call);
  if (path !== undefined) session.mutate(ModifiedFiles).dispatch(FileModified, { path, tool: call.toolName });
}

/** A sub-agent's structured output is its own, not the run's. */
function isFinalOutput({ toolName, input }: ToolCall): boolean {
  return toolName === 'StructuredOutput' && input.agent_id === undefined;
}

function takeOutput(call: ToolCall, run: HookedRun): SyncHookJSONOutput {
  run.state.structuredOutput = { value: call.input.tool_input };
  if (!run.stopOnStructuredOutput) return {};
  run.log.debug('hook.structured_output_stop', { toolName: call.toolName });
  return { continue: false };
}

type Change = (todos: readonly Todo[], input: JsonObject, response: unknown) => readonly Todo[];

/** TodoWrite replaces the plan. Newer CLIs change one task at a time. */
const CHANGES: ReadonlyMap<string, Change> = new Map<string, Change>([
  ['TodoWrite', (_, input) => todosOf(input.todos)],
  ['TaskCreate', created],
  ['TaskUpdate', updated],
]);

function recordPlan({ toolName, toolInput }: ToolCall, response: unknown, session: Session): void {
  const change = CHANGES.get(toolName);
  if (change === undefined) return;
  const before = (session.query(Plan).latest()?.steps ?? []).map(
    ({ description, ...step }): Todo => ({ ...step, content: description }),
  );
  const todos = change(before, toolInput, response);
  if (todos !== before) session.mutate(Plan).dispatch(PlanUpdated, { todos });
}

function todosOf(value: unknown): Todo[] {
  const items: unknown[] = Array.isArray(value) ? value : [];
  return items.filter(isJsonObject).flatMap((item) => {
    const content = stringField(item, 'content');
    if (content === undefined) return [];
    const id = stringField(item, 'id');
    const status = stringField(item, 'status') ?? 'pending';
    return [withFields({ content, status }, { id, activeForm: stringField(item, 'activeForm') })];
  });
}

function created(todos: readonly Todo[], input: JsonObject, response: unknown): readonly Todo[] {
  const content = stringField(input, 'subject');
  if (content === undefined) return todos;
  const task = isJsonObject(response) ? response.task : undefined;
  const id = isJsonObject(task) ? stringField(task, 'id') : undefined;
  const activeForm = stringField(input, 'activeForm');
  return [...todos, withFields({ content, status: 'pending' }, { id, activeForm })];
}

function updated(todos: readonly Todo[], input: JsonObject, response: unknown): readonly Todo[] {
  const id = stringField(input, 'taskId');
  const isRefused = isJsonObject(response) && response.success === false;
  if (id === undefined || isRefused || !todos.some((todo) => todo.id === id)) return todos;
  const status = stringField(input, 'status');
  if (status === 'deleted') return todos.filter((todo) => todo.id !== id);
  const content = stringField(input, 'subject');
  const activeForm = stringField(input, 'activeForm');
  return todos.map((todo) => (todo.id === id ? withFields(todo, { content, status, activeForm }) : todo));
}

/** The todo with those fields that are set. */
function withFields(todo: Todo, fields: { readonly [Field in keyof Todo]?: Todo[Field] | undefined }): Todo {
  return { ...todo, ...omitUndefined(fields) };
}
