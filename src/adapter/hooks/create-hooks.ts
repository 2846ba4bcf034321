import type { SyncHookJSONOutput } from '../../control/hook-outputs.js';
import type { HookCallbackMatcher, HookEvent } from '../../control/hook-types.js';
import { isJsonObject } from '../../util/json.js';
import { untilAborted } from '../../util/race.js';
import { Notification, Plan, Workspace } from '../state/index.js';
import {
  type ContextProvider,
  createHookState,
  type HookedRun,
  type HookRun,
  type HookState,
  limitOf,
  logHookError,
  type ToolEvent,
} from './hook-run.js';
import { postToolUse, postToolUseFailure } from './post-tool-use.js';
import { preToolUse } from './pre-tool-use.js';
import { denial, HookInputError, textField } from './tool-call.js';

/** As the SDK's option `hooks`. */
type HookTable = Partial<Record<HookEvent, HookCallbackMatcher[]>>;

/** @param input - unchecked: whatever the CLI sent */
type HookBody = (input: unknown, toolUseId: string | undefined) => SyncHookJSONOutput | Promise<SyncHookJSONOutput>;

/** Never rejects. */
type SafeHook = (input: unknown, toolUseId: string | undefined) => Promise<SyncHookJSONOutput>;

/** Seconds. */
const AUXILIARY_TIMEOUT = 10;
const AUXILIARY = ['SubagentStart', 'SubagentStop', 'PreCompact', 'Notification'] as const;
const ABORTED = 'Evaluation aborted';

/** The hooks of one run, and what they learn during the run. None of them ever rejects. */
export function createHooks(hookRun: HookRun): { readonly hooks: HookTable; readonly state: HookState } {
  const run: HookedRun = { ...hookRun, state: createHookState() };
  const { timeouts, state } = run;
  const guard = guardingHook((input, id) => preToolUse(input, run, id), run);
  const ended = (event: 'PostToolUse' | 'PostToolUseFailure', body: HookBody): HookBody => {
    return (input, id) => {
      noteToolEvent(state, event, input, id);
      return body(input, id);
    };
  };
  const safe = (event: HookEvent, timeout: number, body: HookBody): HookCallbackMatcher[] => [
    { hooks: [safeHook(event, body, run)], timeout },
  ];
  const hooks: HookTable = {
    PreToolUse: [
      {
        hooks: [guard],
        timeout: timeouts.preToolUse,
        // Without it the CLI runs the tool when the answer is an error or of the wrong shape.
        ...(run.failureMode === 'open' ? {} : { onFailure: 'block' as const }),
      },
    ],
    PostToolUse: safe(
      'PostToolUse',
      timeouts.postToolUse,
      ended('PostToolUse', (input, id) => postToolUse(input, run, id)),
    ),
    PostToolUseFailure: safe(
      'PostToolUseFailure',
      timeouts.postToolUse,
      ended('PostToolUseFailure', (input, id) => postToolUseFailure(input, run, id)),
    ),
    UserPromptSubmit: safe('UserPromptSubmit', timeouts.userPromptSubmit, () => userPromptSubmit(run)),
    Stop: safe('Stop', timeouts.stop, (input) => stop(input, run)),
  };
  for (const event of AUXILIARY) {
    hooks[event] = safe(event, AUXILIARY_TIMEOUT, (input) => recordNotification(event, input, run));
  }
  return { hooks, state };
}

/** The wrapper of PreToolUse. It also denies as soon as the run is aborted, and keeps what was denied. */
export function guardingHook(body: HookBody, run: HookedRun): SafeHook {
  const safe = safeHook('PreToolUse', body, run);
  return async (input, toolUseId) => {
    noteToolEvent(run.state, 'PreToolUse', input, toolUseId);
    const answer = await untilAborted(
      run.signal,
      () => safe(input, toolUseId),
      () => denial(ABORTED),
    );
    const output = run.signal.aborted ? denial(ABORTED) : answer;
    const reason = textField(output.hookSpecificOutput, 'permissionDecisionReason');
    if (reason !== undefined) {
      run.state.denials.push({
        toolName: textField(input, 'tool_name') ?? '',
        toolUseId: textField(input, 'tool_use_id') ?? toolUseId,
        reason,
      });
    }
    return output;
  };
}

function noteToolEvent(
  { toolEvents }: HookState,
  event: ToolEvent['hook_event_name'],
  input: unknown,
  toolUseId: string | undefined,
): void {
  const id = textField(input, 'tool_use_id') ?? toolUseId;
  if (id === undefined) return;
  const isInterrupt = isJsonObject(input) && input.is_interrupt === true;
  toolEvents.push({ hook_event_name: event, tool_use_id: id, ...(isInterrupt ? { is_interrupt: true } : {}) });
}

/** A hook that always answers. When its body fails, PreToolUse denies and every other hook lets the run go on. */
export function safeHook(event: HookEvent, body: HookBody, run: HookedRun): SafeHook {
  const isGuard = event === 'PreToolUse';
  return async (input, toolUseId) => {
    try {
      return await body(input, toolUseId);
    } catch (error) {
      const limit = limitOf(error);
      if (limit === undefined) {
        logHookError(run.log, event, error);
        return isGuard && run.failureMode !== 'open' ? denial('Hook failed') : {};
      }
      run.log.warn(limit.logEvent, { toolName: textField(input, 'tool_name'), hookEvent: event });
      if (isGuard) return denial(limit.reason);
      run.state.limitStop ??= limit.kind;
      return { continue: false, stopReason: limit.reason };
    }
  };
}

/** The turn is about to end. The CLI gives no reason today; if it gives one, it is kept. */
function stop(input: unknown, { state, log }: HookedRun): SyncHookJSONOutput {
  state.stopReason = textField(input, 'stopReason') ?? 'end_turn';
  log.debug('hook.stop', { stopReason: state.stopReason });
  return {};
}

/** Keeps the input of an auxiliary hook, each as an item of its own. */
function recordNotification(
  source: string,
  input: unknown,
  { session, promptName, adapterName }: HookRun,
): SyncHookJSONOutput {
  if (!isJsonObject(input)) return {};
  const createdAt = new Date().toISOString();
  session.mutate(Notification).append({ source, payload: input, promptName, adapter: adapterName, createdAt });
  return {};
}

/** Adds context for the model: the current task, the working directory, and the lines of the user's providers. */
async function userPromptSubmit(run: HookRun): Promise<SyncHookJSONOutput> {
  const provided = await Promise.all(run.contextProviders.map((provider) => lineOf(provider, run)));
  const lines = [currentTask(run), sessionDirectory(run), ...provided]
    .filter((line) => line !== undefined)
    .flatMap((line) => line.split(/\r?\n/))
    .filter((line) => line.trim() !== '')
    .map((line) => `[Context] ${line}`);
  if (lines.length === 0) return {};
  return { hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: lines.join('\n') } };
}

function currentTask({ session }: HookRun): string | undefined {
  const steps = session.query(Plan).latest()?.steps ?? [];
  const step = steps.find(({ status }) => status === 'in_progress');
  return step && `Current task: ${step.description}`;
}

function sessionDirectory({ session }: HookRun): string | undefined {
  const root = session.query(Workspace).latest()?.root;
  return root && `Working directory: ${root}`;
}

/** A failing provider only loses its own line, unless it reports a limit: that ends the turn. */
async function lineOf(provider: ContextProvider, run: HookRun): Promise<string | undefined> {
  try {
    const line: unknown = await provider({ session: run.session, promptName: run.promptName });
    if (line === undefined || line === null || typeof line === 'string') return line ?? undefined;
    throw new HookInputError(`A context provider gave ${typeof line}, not a string`);
  } catch (error) {
    if (limitOf(error) !== undefined) throw error;
    logHookError(run.log, 'UserPromptSubmit', error);
    return undefined;
  }
}
