import type { DiagnosticListener } from '../diagnostics.js';
import { describeValue } from '../util/describe-value.js';
import { isJsonObject, type JsonObject } from '../util/json.js';
import {
  failure,
  type InboundHandler,
  type InboundOutcome,
  reportThrow,
  runCallback,
  SILENT,
  success,
} from './inbound-handler.js';

/** An MCP server asks the user something. */
export type ElicitationRequest = {
  serverName: string;
  message: string;
  mode?: 'form' | 'url';
  url?: string;
  elicitationId?: string;
  requestedSchema?: Record<string, unknown>;
  title?: string;
  displayName?: string;
  description?: string;
};

export type ElicitationResult = {
  action: 'accept' | 'decline' | 'cancel';
  /** The answers, by the names of the requested schema. */
  content?: Record<string, string | number | boolean | string[]> | undefined;
  _meta?:
    | {
        progressToken?: string | number | undefined;
        'io.modelcontextprotocol/related-task'?: { taskId: string } | undefined;
        [key: string]: unknown;
      }
    | undefined;
  /** Further fields reach the server. */
  [field: string]: unknown;
};

/** Answers an elicitation. `null` sends no answer. Without this callback, `unhandledElicitation` is the answer. */
export type OnElicitation = (
  request: ElicitationRequest,
  options: { signal: AbortSignal; requestId: string },
) => Promise<ElicitationResult | null> | ElicitationResult | null;

/** The CLI asks its host to show a dialog. */
export type UserDialogRequest = { dialogKind: string; payload: Record<string, unknown>; toolUseID?: string };

/** On `cancelled` the CLI does what the dialog does by default. */
export type UserDialogResult = { behavior: 'completed'; result: unknown } | { behavior: 'cancelled' };

/**
 * Answers a dialog. The value is passed on unchecked, since each kind has its own. `null` sends no answer. Without this
 * callback dialogs are never answered.
 */
export type OnUserDialog = (
  request: UserDialogRequest,
  options: { signal: AbortSignal; requestId: string },
) => Promise<UserDialogResult | null> | UserDialogResult | null;

/** Answers `elicitation`, also without a callback. An error answer counts as `cancel` for the CLI. */
export function elicitations(
  {
    onElicitation,
    unhandledElicitation = 'decline',
  }: { onElicitation?: OnElicitation; unhandledElicitation?: 'decline' | 'cancel' },
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
  { onUserDialog }: { onUserDialog?: OnUserDialog },
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
