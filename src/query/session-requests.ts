import type { RequestOptions } from '../control/controller-options.js';
import type { PermissionMode } from '../control/permission-types.js';
import type { JsonObject } from '../util/json.js';
import type {
  SDKControlInitializeResponse,
  SDKControlInterruptResponse,
} from './control-answers.js';
import type { SendControlRequest } from './control-requests.js';
import type { QuerySession } from './query-session.js';
import { ask, askFor, given, nothing, quiet } from './requests/ask.js';
import { FileRequests } from './requests/file-requests.js';
import { McpRequests } from './requests/mcp-requests.js';
import { SettingsRequests } from './requests/settings-requests.js';
import type {
  SDKControlGetContextUsageResponse,
  SDKControlGetUsageResponse,
} from './usage-answer.js';

/** The control requests of a session by name, shared by `Query` and `ClaudeClient`; three families are members. */
export class SessionRequests {
  readonly request: SendControlRequest;
  readonly files: FileRequests;
  readonly mcp: McpRequests;
  readonly settings: SettingsRequests;
  readonly #session: QuerySession;

  constructor(session: QuerySession) {
    this.#session = session;
    this.files = new FileRequests(session);
    this.mcp = new McpRequests(session);
    this.settings = new SettingsRequests(session);
    // The subtype is what makes the answer's type true; the CLI's wire contract, not this code, keeps it.
    this.request = ((subtype: string, payload?: JsonObject, options?: RequestOptions) =>
      session.request(subtype, payload, options)) as SendControlRequest;
  }

  /** The first answer to `initialize`, or a claim's. Unchecked beyond being an object: the CLI is newer than these types. */
  initializationResult(): Promise<SDKControlInitializeResponse> {
    return this.#session.initialization as Promise<SDKControlInitializeResponse>;
  }

  /** A part of the first answer to `initialize`. */
  initializationPart<T>(part: (answer: SDKControlInitializeResponse) => T): Promise<T> {
    return quiet(this.initializationResult().then(part));
  }

  reinitialize(): Promise<SDKControlInitializeResponse> {
    return this.#session.reinitialize() as Promise<SDKControlInitializeResponse>;
  }

  interrupt(options?: {
    cancelQueued?: boolean;
  }): Promise<SDKControlInterruptResponse | undefined> {
    const payload = options?.cancelQueued === true ? { cancel_queued: true } : {};
    return quiet(
      askFor(this.#session, 'interrupt', payload).then((receipt) =>
        Array.isArray(receipt?.still_queued) ? receipt : undefined,
      ),
    );
  }

  setPermissionMode(mode: PermissionMode): Promise<void> {
    return ask(this.#session, 'set_permission_mode', { mode }, nothing);
  }

  setModel(model?: string | null): Promise<void> {
    return ask(this.#session, 'set_model', given({ model }), nothing);
  }

  setMaxThinkingTokens(
    maxThinkingTokens: number | null,
    thinkingDisplay?: string | null,
  ): Promise<void> {
    const payload = { max_thinking_tokens: maxThinkingTokens, thinking_display: thinkingDisplay };
    return ask(this.#session, 'set_max_thinking_tokens', given(payload), nothing);
  }

  getContextUsage(options?: {
    detail?: 'summary' | 'full';
  }): Promise<SDKControlGetContextUsageResponse> {
    return askFor(this.#session, 'get_context_usage', options ?? {});
  }

  getUsage(options: { skipBehaviors?: boolean } = {}): Promise<SDKControlGetUsageResponse> {
    return askFor(
      this.#session,
      'get_usage',
      given({ skip_behaviors: options.skipBehaviors || undefined }),
    );
  }

  stopTask(taskId: string): Promise<void> {
    return ask(this.#session, 'stop_task', { task_id: taskId }, nothing);
  }

  /** An answer that does not say counts as done (TS-104). */
  backgroundTasks(toolUseId?: string): Promise<boolean> {
    return ask(
      this.#session,
      'background_tasks',
      given({ tool_use_id: toolUseId }),
      (answer) => answer?.backgrounded !== false,
    );
  }
}
