import type { RequestOptions } from '../control/controller-options.js';
import type { PermissionMode } from '../control/permission-types.js';
import { ControlRequestError } from '../errors.js';
import { ignoreRejection } from '../util/deferred.js';
import type { JsonObject } from '../util/json.js';
import type {
  McpServerStatus,
  RewindFilesResult,
  SDKControlGetContextUsageResponse,
  SDKControlInitializeResponse,
  SDKControlInterruptResponse,
  SendControlRequest,
} from './control-requests.js';
import type { QuerySession } from './query-session.js';

/**
 * The control requests of a session by name, shared by `Query` and `ClaudeClient`. A rejection that
 * nobody awaits never counts as unhandled: the session may end while any of them is pending (TS-165).
 */
export class SessionRequests {
  readonly request: SendControlRequest;
  readonly #session: QuerySession;

  constructor(session: QuerySession) {
    this.#session = session;
    // The subtype is what makes the answer's type true; the CLI's wire contract, not this code, keeps it.
    this.request = ((subtype: string, payload?: JsonObject, options?: RequestOptions) =>
      session.request(subtype, payload, options)) as SendControlRequest;
  }

  /** The first answer to `initialize`. Unchecked beyond being an object: the CLI is newer than these types. */
  initializationResult(): Promise<SDKControlInitializeResponse> {
    return this.#session.controller.initialized as Promise<SDKControlInitializeResponse>;
  }

  /** A part of the first answer to `initialize`. */
  initializationPart<T>(part: (answer: SDKControlInitializeResponse) => T): Promise<T> {
    return quiet(this.initializationResult().then(part));
  }

  interrupt(): Promise<SDKControlInterruptResponse | undefined> {
    return quiet(
      this.request('interrupt').then((receipt) =>
        receipt !== undefined && 'still_queued' in receipt ? receipt : undefined,
      ),
    );
  }

  setPermissionMode(mode: PermissionMode): Promise<void> {
    return this.#ask('set_permission_mode', { mode }, nothing);
  }

  setModel(model?: string | null): Promise<void> {
    return this.#ask('set_model', model === undefined ? {} : { model }, nothing);
  }

  setMaxThinkingTokens(
    maxThinkingTokens: number | null,
    thinkingDisplay?: string | null,
  ): Promise<void> {
    const payload = {
      max_thinking_tokens: maxThinkingTokens,
      ...(thinkingDisplay === undefined ? {} : { thinking_display: thinkingDisplay }),
    };
    return this.#ask('set_max_thinking_tokens', payload, nothing);
  }

  mcpServerStatus(): Promise<McpServerStatus[]> {
    return this.#ask('mcp_status', {}, (answer) => {
      const servers = answer?.['mcpServers'];
      if (!Array.isArray(servers)) throw unusable('mcp_status', 'mcpServers');
      return servers as McpServerStatus[];
    });
  }

  getContextUsage(options?: {
    detail?: 'summary' | 'full';
  }): Promise<SDKControlGetContextUsageResponse> {
    return this.request('get_context_usage', options ?? {});
  }

  rewindFiles(
    userMessageId: string,
    options: { dryRun?: boolean } = {},
  ): Promise<RewindFilesResult> {
    return this.request('rewind_files', {
      user_message_id: userMessageId,
      ...(options.dryRun === undefined ? {} : { dry_run: options.dryRun }),
    });
  }

  reconnectMcpServer(serverName: string): Promise<void> {
    return this.#ask('mcp_reconnect', { serverName }, nothing);
  }

  toggleMcpServer(serverName: string, enabled: boolean): Promise<void> {
    return this.#ask('mcp_toggle', { serverName, enabled }, nothing);
  }

  stopTask(taskId: string): Promise<void> {
    return this.#ask('stop_task', { task_id: taskId }, nothing);
  }

  #ask<T>(
    subtype: string,
    payload: JsonObject,
    read: (answer: JsonObject | undefined) => T,
  ): Promise<T> {
    return quiet(this.#session.request(subtype, payload).then(read));
  }
}

function nothing(): void {}

function quiet<T>(promise: Promise<T>): Promise<T> {
  ignoreRejection(promise);
  return promise;
}

/** For an answer whose promised field is missing: a typed error instead of a `TypeError` from a property read. */
function unusable(subtype: string, field: string): ControlRequestError {
  return new ControlRequestError(`The answer to \`${subtype}\` has no \`${field}\``, {
    subtype,
    requestId: '',
  });
}
