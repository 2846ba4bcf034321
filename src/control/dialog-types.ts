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
) => Promise<ElicitationResult | null>;

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
) => Promise<UserDialogResult | null>;
