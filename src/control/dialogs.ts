import type { DiagnosticListener } from '../diagnostics.js';
import { describeValue } from '../util/describe-value.js';
import { isJsonObject, type JsonObject } from '../util/json.js';
import type { Callbacks } from './controller-options.js';
import type { ElicitationRequest, UserDialogRequest } from './dialog-types.js';
import {
  failure,
  type InboundHandler,
  type InboundOutcome,
  reportThrow,
  runCallback,
  SILENT,
  success,
} from './inbound-handler.js';

/** Answers `elicitation`, also without a callback. An error answer counts as `cancel` for the CLI. */
export function elicitations(
  { onElicitation, unhandledElicitation = 'decline' }: Pick<Callbacks, 'onElicitation' | 'unhandledElicitation'>,
  onDiagnostic: DiagnosticListener,
): InboundHandler {
  if (onElicitation === undefined) return { handle: () => success({ action: unhandledElicitation }) };
  const toOutcome = (result: unknown): InboundOutcome => {
    if (result === null) return SILENT;
    if (isJsonObject(result)) return success(result);
    const message = `onElicitation must return {action: 'accept' | 'decline' | 'cancel', content?: object} or null; it returned ${describeValue(result)}`;
    onDiagnostic({ code: 'callback_result_invalid', message });
    return failure(message);
  };
  return {
    handle: (request, { signal, requestId }) =>
      runCallback<unknown>(
        () => onElicitation(toElicitation(request), { signal, requestId }),
        toOutcome,
        (thrown) => failure(reportThrow(onDiagnostic, 'onElicitation', thrown)),
      ),
  };
}

/** Answers `request_user_dialog`. Without a callback there is no answer: another client may show the dialog. */
export function userDialogs(
  { onUserDialog }: Pick<Callbacks, 'onUserDialog'>,
  onDiagnostic: DiagnosticListener,
): InboundHandler {
  if (onUserDialog === undefined) return { handle: () => SILENT };
  return {
    handle: (request, { signal, requestId }) =>
      runCallback<unknown>(
        () => onUserDialog(toDialog(request), { signal, requestId }),
        // Each dialog kind has its own result; it is passed on as it is.
        (result) => (result === null ? SILENT : success(result)),
        (thrown) => failure(reportThrow(onDiagnostic, 'onUserDialog', thrown)),
      ),
  };
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
