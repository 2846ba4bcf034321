import type { JsonObject } from '../util/json.js';
import type {
  SDKControlListPermissionRulesResponse,
  SendControlRequest,
} from './control-requests.js';
import { given, quiet } from './requests/ask.js';

/**
 * Methods that the official `Query` has at run time and does not declare. Published programs look for them with `typeof`
 * and do less where they are missing, so they are here, as undeclared as there; `request()` is the typed way.
 * @internal
 */
export abstract class UndeclaredRequests {
  abstract readonly request: SendControlRequest;

  /** The settings in force. */
  getSettings(): Promise<JsonObject> {
    return quiet(this.request('get_settings'));
  }

  getHooksListing(): Promise<JsonObject> {
    return quiet(this.request('get_hooks_listing'));
  }

  listPermissionRules(): Promise<SDKControlListPermissionRulesResponse> {
    return quiet(this.request('list_permission_rules'));
  }

  /** What a background task has written so far. */
  getTaskOutput(taskId: string): Promise<JsonObject | undefined> {
    return quiet(this.request('get_task_output', { task_id: taskId }));
  }

  /** Another working directory for the session. */
  setCwd(path: string): Promise<JsonObject | undefined> {
    return quiet(this.request('set_cwd', { path }));
  }

  /** Asks about the conversation beside it. `null` when the CLI has no answer; `synthetic` when no model gave it. */
  askSideQuestion(question: string): Promise<JsonObject | null> {
    return quiet(
      this.request('side_question' as string, { question }).then((answer) => {
        const { response, synthetic = false } = answer ?? {};
        return response === null ? null : { response, synthetic };
      }),
    );
  }

  /** Takes a queued user message back. `true` when it had not been read yet. */
  cancelAsyncMessage(messageUuid: string): Promise<boolean> {
    return quiet(
      this.request('cancel_async_message', { message_uuid: messageUuid }).then(
        (answer) => answer?.cancelled,
      ),
    );
  }

  /** The stored title, else one that a model makes of the description. `persist` writes it into the transcript. */
  generateSessionTitle(
    description: string,
    options?: { readonly persist?: boolean },
  ): Promise<unknown> {
    const payload = given({ description, persist: options?.persist });
    return quiet(this.request('generate_session_title', payload).then((answer) => answer?.title));
  }

  renameSession(title: string, sessionId?: string): Promise<void> {
    const payload = { title, source: 'host', session_id: sessionId };
    return quiet(this.request('rename_session' as string, given(payload)).then(() => undefined));
  }

  /** Starts signing in to an MCP server. The answer may hold the page to open. */
  mcpAuthenticate(serverName: string, redirectUri?: string): Promise<JsonObject | undefined> {
    return quiet(this.request('mcp_authenticate', given({ serverName, redirectUri })));
  }

  /** Lets the session be driven from elsewhere, or ends that. */
  enableRemoteControl(enabled: boolean, name?: string): Promise<JsonObject | undefined> {
    return quiet(this.request('remote_control', given({ enabled, name })));
  }
}
