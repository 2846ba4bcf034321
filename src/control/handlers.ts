import type { DiagnosticListener } from '../diagnostics.js';
import type { Callbacks } from './controller-options.js';
import { Elicitations, UserDialogs } from './dialogs.js';
import { Hooks } from './hooks.js';
import { failure, type InboundHandler } from './inbound-handler.js';
import type { McpBridge } from './mcp-bridge.js';
import { Permissions } from './permissions.js';

/** Every inbound subtype that has an answer of its own. */
export function createHandlers(
  callbacks: Callbacks,
  policy: { readonly fillUpdatedInput: boolean },
  mcpBridge: McpBridge,
  onDiagnostic: DiagnosticListener,
): ReadonlyMap<string, InboundHandler> {
  const { canUseTool, hooks, onHookError, onUserDialog } = callbacks;
  const { fillUpdatedInput } = policy;
  return new Map<string, InboundHandler>([
    ['can_use_tool', new Permissions({ canUseTool, onHookError, fillUpdatedInput, onDiagnostic })],
    ['hook_callback', new Hooks({ hooks, onHookError, onDiagnostic })],
    ['mcp_message', mcpBridge],
    ['elicitation', new Elicitations(callbacks, onDiagnostic)],
    ['request_user_dialog', new UserDialogs(onUserDialog, onDiagnostic)],
    // Known subtypes, so not "unsupported", but no option registers a callback for them.
    ['oauth_token_refresh', withoutCallback('getOAuthToken')],
    ['host_auth_token_refresh', withoutCallback('getHostAuthToken')],
  ]);
}

function withoutCallback(name: string): InboundHandler {
  return { handle: () => failure(`${name} callback is not provided.`) };
}
