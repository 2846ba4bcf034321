import type { JsonObject } from '../../util/json.js';

export interface MethodCall {
  readonly method: string;
  readonly args: readonly unknown[];
}

/** The method that writes a control request; `undefined` when none does. */
export function methodOf(request: JsonObject): MethodCall | undefined {
  const field = (name: string): unknown => request[name];
  switch (request.subtype) {
    case 'interrupt':
      return { method: 'interrupt', args: [] };
    case 'set_model':
      return { method: 'setModel', args: 'model' in request ? [field('model')] : [] };
    case 'set_permission_mode':
      return { method: 'setPermissionMode', args: [field('mode')] };
    case 'set_max_thinking_tokens':
      return { method: 'setMaxThinkingTokens', args: [field('max_thinking_tokens')] };
    case 'mcp_status':
      return { method: 'mcpServerStatus', args: [] };
    case 'mcp_set_servers':
      return { method: 'setMcpServers', args: [field('servers')] };
    case 'mcp_reconnect':
      return { method: 'reconnectMcpServer', args: [field('serverName')] };
    case 'mcp_toggle':
      return { method: 'toggleMcpServer', args: [field('serverName'), field('enabled')] };
    case 'rewind_files':
      return {
        method: 'rewindFiles',
        args:
          'dry_run' in request
            ? [field('user_message_id'), { dryRun: field('dry_run') }]
            : [field('user_message_id')],
      };
    case 'stop_task':
      return { method: 'stopTask', args: [field('task_id')] };
    case 'get_context_usage':
      return { method: 'getContextUsage', args: [] };
    case 'apply_flag_settings':
      return { method: 'applyFlagSettings', args: [field('settings')] };
    case 'background_tasks':
      return {
        method: 'backgroundTasks',
        args: 'tool_use_id' in request ? [field('tool_use_id')] : [],
      };
    case 'seed_read_state':
      return { method: 'seedReadState', args: [field('path'), field('mtime')] };
    case 'cancel_async_message':
      return { method: 'cancelAsyncMessage', args: [field('message_uuid')] };
    case 'get_settings':
      return { method: 'getSettings', args: [] };
    case 'get_hooks_listing':
      return { method: 'getHooksListing', args: [] };
    case 'list_permission_rules':
      return { method: 'listPermissionRules', args: [] };
    default:
      return undefined;
  }
}
