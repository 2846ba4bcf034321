import type { Diagnostic, DiagnosticListener } from '../diagnostics.js';
import { AbortError, isClaudeSDKError } from '../errors.js';
import { errorText } from '../util/error-text.js';
import { isJsonObject, type JsonObject } from '../util/json.js';
import type { Callbacks, ControlPolicy } from './controller-options.js';
import { elicitations, userDialogs } from './dialogs.js';
import { errorFrame, excerpt, successFrame } from './envelope.js';
import { hookCallbacks } from './hooks.js';
import { failure, type InboundContext, type InboundHandler, type InboundOutcome } from './inbound-handler.js';
import type { McpBridge } from './mcp-bridge.js';
import { permissions } from './permissions.js';

interface InboundRouterOptions {
  readonly handlerOf: (subtype: string) => InboundHandler | undefined;
  readonly answerAfterCancel: ControlPolicy['answerAfterCancel'];
  /** @throws ClaudeSDKError the frame can no longer be written; anything else: it is not JSON. */
  readonly write: (frame: object) => void;
  readonly onDiagnostic: DiagnosticListener;
  /** A request was answered, withdrawn or left unanswered on purpose. */
  readonly onSettled: () => void;
}

/** One inbound request between its arrival and its answer. */
class InboundCall implements InboundContext {
  readonly requestId: string;
  readonly request: JsonObject;
  readonly handler: InboundHandler;
  isCancelled = false;
  readonly #abort = new AbortController();

  constructor(requestId: string, request: JsonObject, handler: InboundHandler) {
    this.requestId = requestId;
    this.request = request;
    this.handler = handler;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  abort(reason: AbortError): void {
    this.isCancelled = true;
    this.#abort.abort(reason);
  }
}

/**
 * Gives each inbound request to the handler of its subtype and writes at most one answer. Handlers run concurrently;
 * answers leave in the order of completion.
 */
export class InboundRouter {
  readonly #options: InboundRouterOptions;
  readonly #calls = new Map<string, InboundCall>();
  #openCount = 0;
  #isClosed = false;

  constructor(options: InboundRouterOptions) {
    this.#options = options;
  }

  /** Requests whose answer is still owed. Cancelled ones are not. */
  get openCount(): number {
    return this.#openCount;
  }

  /**
   * Takes a request in; from now on its answer is owed. What no handler can answer is refused at once.
   * @returns starts the handler. `undefined`: there is nothing to start.
   */
  accept(frame: JsonObject): (() => void) | undefined {
    const requestId = frame.request_id;
    if (typeof requestId !== 'string') {
      this.#refuseMalformed(requestId, 'request_id is missing or not a string');
      return undefined;
    }
    if (this.#isClosed) {
      this.#reportDropped(requestId, 'the session has ended');
      return undefined;
    }
    if (this.#calls.has(requestId)) {
      const message = `Control request ${excerpt(requestId)} came again while the first is in flight`;
      this.#report('request_duplicate', message, requestId);
      return undefined;
    }
    const request = frame.request;
    if (!isJsonObject(request)) {
      this.#refuseMalformed(requestId, 'request is missing or not an object');
      return undefined;
    }
    const subtype = request.subtype;
    const handler = typeof subtype === 'string' ? this.#options.handlerOf(subtype) : undefined;
    if (handler === undefined) {
      this.#refuseUnsupported(requestId, subtype);
      return undefined;
    }
    const call = new InboundCall(requestId, request, handler);
    this.#calls.set(requestId, call);
    this.#openCount += 1;
    return () => this.#start(call);
  }

  onCancel(frame: JsonObject): void {
    const requestId = frame.request_id;
    const call = typeof requestId === 'string' ? this.#calls.get(requestId) : undefined;
    // What was open then was aborted.
    if (this.#isClosed) return;
    if (call === undefined || call.isCancelled) {
      this.#report('cancel_unknown', 'A cancellation for a request that is not in flight', requestId);
      return;
    }
    this.#openCount -= 1;
    call.abort(new AbortError('Claude Code withdrew the request'));
    this.#options.onSettled();
  }

  /** Aborts every signal that was handed out. Results that come later are dropped. Idempotent. */
  close(reason: Error): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const calls = [...this.#calls.values()];
    this.#calls.clear();
    this.#openCount = 0;
    for (const call of calls) {
      if (!call.isCancelled) call.abort(new AbortError('The session ended', { cause: reason }));
    }
  }

  #start(call: InboundCall): void {
    if (this.#isClosed) {
      this.#reportDropped(call.requestId, 'the session has ended');
      return;
    }
    const outcome = this.#handle(call);
    if (outcome instanceof Promise) {
      outcome.then(
        (settled) => this.#settle(call, settled),
        (thrown: unknown) => this.#settle(call, failure(errorText(thrown))),
      );
    } else {
      this.#settle(call, outcome);
    }
  }

  #handle(call: InboundCall): InboundOutcome | Promise<InboundOutcome> {
    try {
      return call.handler.handle(call.request, call);
    } catch (thrown) {
      return failure(errorText(thrown));
    }
  }

  #settle(call: InboundCall, outcome: InboundOutcome): void {
    if (this.#calls.get(call.requestId) !== call) {
      if (outcome.kind !== 'silent') this.#reportDropped(call.requestId, 'the session has ended');
      return;
    }
    this.#calls.delete(call.requestId);
    if (!call.isCancelled) this.#openCount -= 1;
    if (outcome.kind !== 'silent') {
      if (call.isCancelled && !this.#options.answerAfterCancel) {
        this.#reportDropped(call.requestId, 'the request was cancelled');
      } else {
        this.#answer(call, outcome);
      }
    }
    this.#options.onSettled();
  }

  #answer(call: InboundCall, outcome: InboundOutcome): void {
    try {
      this.#write(call.requestId, outcome);
    } catch (thrown) {
      if (isClaudeSDKError(thrown)) {
        this.#reportDropped(call.requestId, errorText(thrown));
        return;
      }
      const reason = `The result cannot be written as JSON: ${errorText(thrown)}`;
      this.#report('callback_result_invalid', reason, call.requestId, { subtype: excerpt(call.request.subtype) });
      this.#writeOrReport(call.requestId, call.handler.onUnserialisable?.(call.request, reason) ?? failure(reason));
    }
  }

  #write(requestId: string | number, outcome: InboundOutcome): void {
    if (outcome.kind === 'success') {
      this.#options.write(successFrame(requestId, outcome.response));
    } else if (outcome.kind === 'error') {
      this.#options.write(errorFrame(requestId, outcome.message, outcome.code));
    }
  }

  #writeOrReport(requestId: string | number, outcome: InboundOutcome): void {
    try {
      this.#write(requestId, outcome);
    } catch (thrown) {
      this.#reportDropped(String(requestId), errorText(thrown));
    }
  }

  #refuseUnsupported(requestId: string, subtype: unknown): void {
    const name = typeof subtype === 'string' ? subtype : typeof subtype;
    const message = `Claude Code sent a control request that has no handler: ${excerpt(name)}`;
    this.#report('request_unsupported', message, requestId, { subtype: excerpt(name) });
    this.#writeOrReport(requestId, failure(`Unsupported control request subtype: ${name}`, 'unsupported_request'));
  }

  #refuseMalformed(requestId: unknown, what: string): void {
    this.#report('control_frame_malformed', `Malformed control request: ${what}`, requestId);
    // The peer can match an answer to a number too, but not to a missing id.
    if (typeof requestId === 'string' || typeof requestId === 'number') {
      this.#writeOrReport(requestId, failure(`Malformed control request: ${what}`));
    }
  }

  #reportDropped(requestId: string, why: string): void {
    const message = `The answer to control request ${excerpt(requestId)} was not written: ${why}`;
    this.#report('answer_dropped', message, requestId);
  }

  #report(code: Diagnostic['code'], message: string, requestId: unknown, details?: JsonObject): void {
    this.#options.onDiagnostic({ code, message, details: { requestId: excerpt(requestId), ...details } });
  }
}

/** Every inbound subtype that has an answer of its own. */
export function createHandlers(
  callbacks: Callbacks,
  policy: Pick<ControlPolicy, 'fillDenyMessage'>,
  mcpBridge: McpBridge,
  onDiagnostic: DiagnosticListener,
): (subtype: string) => InboundHandler | undefined {
  // Made when first asked: most sessions need none or one.
  const makers: ReadonlyMap<string, () => InboundHandler> = new Map([
    ['can_use_tool', () => permissions(callbacks, policy, onDiagnostic)],
    ['hook_callback', () => hookCallbacks(callbacks, onDiagnostic)],
    ['mcp_message', () => mcpBridge],
    ['elicitation', () => elicitations(callbacks, onDiagnostic)],
    ['request_user_dialog', () => userDialogs(callbacks, onDiagnostic)],
    // Known subtypes, so not "unsupported", but no option registers a callback for them.
    ['oauth_token_refresh', () => withoutCallback('getOAuthToken')],
    ['host_auth_token_refresh', () => withoutCallback('getHostAuthToken')],
  ]);
  const made = new Map<string, InboundHandler>();
  return (subtype) => {
    const make = makers.get(subtype);
    return make && (made.get(subtype) ?? made.set(subtype, make()).get(subtype));
  };
}

function withoutCallback(name: string): InboundHandler {
  return { handle: () => failure(`${name} callback is not provided.`) };
}
