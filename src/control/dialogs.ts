import type { DiagnosticListener } from '../diagnostics.js';
import { describeValue } from '../util/describe-value.js';
import { errorText } from '../util/error-text.js';
import { isJsonObject, type JsonObject } from '../util/json.js';
import type { Callbacks } from './controller-options.js';
import type { ElicitationRequest, OnElicitation, OnUserDialog, UserDialogRequest } from './dialog-types.js';
import {
  failure,
  type InboundContext,
  type InboundHandler,
  type InboundOutcome,
  runCallback,
  SILENT,
  success,
} from './inbound-handler.js';

/** Answers `elicitation`, also without a callback. An error answer counts as `cancel` for the CLI. */
export class Elicitations implements InboundHandler {
  readonly #callback: OnElicitation | undefined;
  readonly #unhandled: 'decline' | 'cancel';
  readonly #onDiagnostic: DiagnosticListener;

  constructor(
    { onElicitation, unhandledElicitation = 'decline' }: Pick<Callbacks, 'onElicitation' | 'unhandledElicitation'>,
    onDiagnostic: DiagnosticListener,
  ) {
    this.#callback = onElicitation;
    this.#unhandled = unhandledElicitation;
    this.#onDiagnostic = onDiagnostic;
  }

  handle(request: JsonObject, context: InboundContext): InboundOutcome | Promise<InboundOutcome> {
    const callback = this.#callback;
    if (callback === undefined) return success({ action: this.#unhandled });
    return runCallback(
      () => callback(toElicitation(request), contextOf(context)),
      (result: unknown) => {
        if (result === null) return SILENT;
        if (isJsonObject(result)) return success(result);
        const message = `onElicitation must return {action: 'accept' | 'decline' | 'cancel', content?: object} or null; it returned ${describeValue(result)}`;
        this.#onDiagnostic({ code: 'callback_result_invalid', message });
        return failure(message);
      },
      (thrown) => threw('onElicitation', thrown, this.#onDiagnostic),
    );
  }
}

/** Answers `request_user_dialog`. Without a callback there is no answer: another client may show the dialog. */
export class UserDialogs implements InboundHandler {
  readonly #callback: OnUserDialog | undefined;
  readonly #onDiagnostic: DiagnosticListener;

  constructor(callback: OnUserDialog | undefined, onDiagnostic: DiagnosticListener) {
    this.#callback = callback;
    this.#onDiagnostic = onDiagnostic;
  }

  handle(request: JsonObject, context: InboundContext): InboundOutcome | Promise<InboundOutcome> {
    const callback = this.#callback;
    if (callback === undefined) return SILENT;
    return runCallback(
      () => callback(toDialog(request), contextOf(context)),
      // Each dialog kind has its own result; it is passed on as it is.
      (result: unknown) => (result === null ? SILENT : success(result)),
      (thrown) => threw('onUserDialog', thrown, this.#onDiagnostic),
    );
  }
}

function contextOf({ signal, requestId }: InboundContext): { signal: AbortSignal; requestId: string } {
  return { signal, requestId };
}

function threw(name: string, thrown: unknown, onDiagnostic: DiagnosticListener): InboundOutcome {
  const message = errorText(thrown);
  onDiagnostic({ code: 'callback_threw', message: `${name} threw`, details: { error: message } });
  return failure(message);
}

/** Values are the CLI's own, unchecked; all nine keys are always there. */
function toElicitation(request: JsonObject): ElicitationRequest {
  const elicitation: { [K in keyof Required<ElicitationRequest>]: unknown } = {
    serverName: request.mcp_server_name,
    message: request.message,
    mode: request.mode,
    url: request.url,
    elicitationId: request.elicitation_id,
    requestedSchema: request.requested_schema,
    title: request.title,
    displayName: request.display_name,
    description: request.description,
  };
  return elicitation as ElicitationRequest;
}

function toDialog(request: JsonObject): UserDialogRequest {
  const dialog: { [K in keyof Required<UserDialogRequest>]: unknown } = {
    dialogKind: request.dialog_kind,
    payload: request.payload,
    toolUseID: request.tool_use_id,
  };
  return dialog as UserDialogRequest;
}
