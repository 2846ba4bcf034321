import type { DiagnosticListener } from '../diagnostics.js';
import { describeValue } from '../util/describe-value.js';
import { errorText } from '../util/error-text.js';
import type { JsonObject } from '../util/json.js';
import { LazySignal } from '../util/lazy-signal.js';
import type { Callbacks, RegisteredHook } from './callbacks.js';
import { checkHookResult } from './hook-result.js';
import type { HookInput } from './hook-types.js';
import {
  failure,
  type InboundContext,
  type InboundHandler,
  type InboundOutcome,
  runCallback,
  success,
} from './inbound-handler.js';

export interface HooksOptions {
  readonly hooks: readonly RegisteredHook[];
  readonly onHookError: Callbacks['onHookError'];
  readonly onDiagnostic: DiagnosticListener;
}

/** Answers `hook_callback` by the ids that `initialize` announced. A result that is no answer fails closed. */
export class Hooks implements InboundHandler {
  readonly #byId: ReadonlyMap<unknown, RegisteredHook>;
  readonly #onHookError: Callbacks['onHookError'];
  readonly #onDiagnostic: DiagnosticListener;

  constructor(options: HooksOptions) {
    this.#byId = new Map(options.hooks.map((hook) => [hook.callbackId, hook]));
    this.#onHookError = options.onHookError;
    this.#onDiagnostic = options.onDiagnostic;
  }

  handle(request: JsonObject, context: InboundContext): InboundOutcome | Promise<InboundOutcome> {
    const callbackId = request.callback_id;
    const hook = this.#byId.get(callbackId);
    if (hook === undefined) {
      return failure(`No hook callback found for ID: ${idText(callbackId)}`);
    }
    return runCallback(
      // The CLI's own object, unchanged; its wire contract is what makes the types true.
      () =>
        hook.callback(
          request.input as HookInput,
          request.tool_use_id as string | undefined,
          new LazySignal(context),
        ),
      (result: unknown) => this.#toOutcome(result, hook),
      (thrown) => this.#onThrow(thrown, hook),
    );
  }

  onUnserialisable(request: JsonObject, reason: string): InboundOutcome {
    const event = this.#byId.get(request.callback_id)?.event;
    return event === undefined ? failure(reason) : failClosed(event, reason);
  }

  #toOutcome(result: unknown, hook: RegisteredHook): InboundOutcome {
    const check = checkHookResult(result);
    if (check.ok) return success(check.answer);
    const message = `The ${hook.event} hook ${hook.callbackId} gave a result that is not a hook output: ${check.problem}`;
    this.#onDiagnostic({
      code: 'callback_result_invalid',
      message,
      details: { callbackId: hook.callbackId, event: hook.event },
    });
    return failClosed(hook.event, message);
  }

  #onThrow(thrown: unknown, hook: RegisteredHook): InboundOutcome {
    const message = errorText(thrown);
    this.#onDiagnostic({
      code: 'callback_threw',
      message: `The ${hook.event} hook ${hook.callbackId} threw`,
      details: { callbackId: hook.callbackId, event: hook.event, error: message },
    });
    return this.#onHookError === 'deny' ? failClosed(hook.event, message) : failure(message);
  }
}

/** An object of the peer's may have a `toString` that is no function. */
function idText(callbackId: unknown): string {
  return typeof callbackId === 'object' ? describeValue(callbackId) : String(callbackId);
}

/**
 * The answer that stops what the event guards. After an error answer to PreToolUse the CLI runs
 * the tool (`hook-error`), so an error answer is left to the events that guard nothing.
 */
function failClosed(event: string, message: string): InboundOutcome {
  switch (event) {
    case 'PreToolUse':
      return success({
        hookSpecificOutput: {
          hookEventName: event,
          permissionDecision: 'deny',
          permissionDecisionReason: message,
        },
      });
    case 'PermissionRequest':
      return success({
        hookSpecificOutput: { hookEventName: event, decision: { behavior: 'deny', message } },
      });
    case 'UserPromptSubmit':
      return success({ decision: 'block', reason: message });
    default:
      return failure(message);
  }
}
