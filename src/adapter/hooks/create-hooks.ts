import type { HookCallback, HookCallbackMatcher, HookEvent } from '../../control/hook-types.js';
import { guardingHook } from './guarding-hook.js';
import type { HookRun, HookState } from './hook-run.js';
import { createHookState } from './hook-state.js';
import { recordNotification } from './notifications.js';
import { postToolUse } from './post-tool-use.js';
import { postToolUseFailure } from './post-tool-use-failure.js';
import { preToolUse } from './pre-tool-use.js';
import { type HookBody, type SafeHook, safeHook } from './safe-hook.js';
import { stop } from './stop.js';
import { userPromptSubmit } from './user-prompt-submit.js';

/** As the SDK's option `hooks`. */
export type HookTable = Partial<Record<HookEvent, HookCallbackMatcher[]>>;

/** Seconds. */
const AUXILIARY_TIMEOUT = 10;
const AUXILIARY = ['SubagentStart', 'SubagentStop', 'PreCompact', 'Notification'] as const;

/** The hooks of one run, and what they learn while it goes on. None of them ever rejects. */
export function createHooks(run: HookRun): {
  readonly hooks: HookTable;
  readonly state: HookState;
} {
  const state = createHookState();
  const { timeouts } = run;
  const safe = (event: HookEvent, body: HookBody): SafeHook => safeHook(event, body, run, state);
  const guard = guardingHook((input, id) => preToolUse(input, run, id), run, state);
  const hooks: HookTable = {
    // Without it the CLI runs the tool when the answer is an error or of the wrong shape.
    PreToolUse: [
      {
        ...entry(guard, timeouts.preToolUse),
        ...(run.failureMode === 'open' ? {} : { onFailure: 'block' as const }),
      },
    ],
    PostToolUse: [
      entry(
        safe('PostToolUse', (input, id) => postToolUse(input, run, state, id)),
        timeouts.postToolUse,
      ),
    ],
    PostToolUseFailure: [
      entry(
        safe('PostToolUseFailure', (input, id) => postToolUseFailure(input, run, state, id)),
        timeouts.postToolUse,
      ),
    ],
    UserPromptSubmit: [
      entry(
        safe('UserPromptSubmit', () => userPromptSubmit(run)),
        timeouts.userPromptSubmit,
      ),
    ],
    Stop: [
      entry(
        safe('Stop', (input) => stop(input, run, state)),
        timeouts.stop,
      ),
    ],
  };
  for (const event of AUXILIARY) {
    const body: HookBody = (input) => recordNotification(event, input, run);
    hooks[event] = [entry(safe(event, body), AUXILIARY_TIMEOUT)];
  }
  return { hooks, state };
}

function entry(hook: SafeHook, timeout: number): HookCallbackMatcher {
  const callback: HookCallback = (input, toolUseId) => hook(input, toolUseId);
  return { hooks: [callback], timeout };
}
