import type { PermissionMode } from '../control/permission-types.js';
import type { SDKMessage } from '../parser/message.js';
import type { SDKControlRequest, SDKControlResponse } from '../query/control-frames.js';
import { outOfScope } from './out-of-scope.js';

/** @throws NotSupportedError always, as a rejection. */
export async function attachBridgeSession(_opts: AttachBridgeSessionOptions): Promise<BridgeSessionHandle> {
  throw outOfScope('attachBridgeSession()');
}

/** @throws NotSupportedError always, as a rejection. */
export async function createCodeSession(
  _baseUrl: string,
  _accessToken: string,
  _title: string,
  _timeoutMs: number,
  _tags?: string[],
  _gitContext?: CodeSessionGitContext,
  _cwd?: string,
  _model?: string,
  _sessionGroupingId?: string,
  _dropLogDedup?: BranchDropLogDedup,
): Promise<string | CreateSessionFailure | CredentialsRejection | null> {
  throw outOfScope('createCodeSession()');
}

/** @throws NotSupportedError always, as a rejection. */
export async function fetchRemoteCredentials(
  _sessionId: string,
  _baseUrl: string,
  _accessToken: string,
  _timeoutMs: number,
  _trustedDeviceToken?: string,
): Promise<RemoteCredentials | CredentialsFailure | CredentialsRejection | null> {
  throw outOfScope('fetchRemoteCredentials()');
}

// The three guards look at a value and nothing else, so they tell the truth here too.

/** True for a value with `terminal: true`. */
export function isCreateSessionFailure(
  r: string | CreateSessionFailure | CredentialsRejection | null,
): r is CreateSessionFailure {
  return terminalOf(r) === true;
}

/** True for a value with `terminal: true`. */
export function isCredentialsFailure(
  r: RemoteCredentials | CredentialsFailure | CredentialsRejection | null,
): r is CredentialsFailure {
  return terminalOf(r) === true;
}

/** True for a value with `terminal: false`. */
export function isCredentialsRejection(r: unknown): r is CredentialsRejection {
  return terminalOf(r) === false;
}

function terminalOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'terminal' in value ? value.terminal : undefined;
}

/** Shapes of the `claudewire/bridge` entry, as the official one has them, so that code which names them compiles. */

/** What a hosted session says it is doing. */
export type SessionState = 'idle' | 'running' | 'requires_action';

/** A callback may answer nothing. */
// biome-ignore lint/suspicious/noConfusingVoidType: the official callbacks may return void.
type Nothing = void;

/** What a host's callback answers to a request of the hosted side. */
type Verdict = { ok: true } | { ok: false; error: string };
type ModelVerdict = { ok: true; notices?: string[] } | { ok: false; error: string };

/** One attached hosted session. Nothing here makes one. */
export type BridgeSessionHandle = {
  readonly sessionId: string;
  getSequenceNum(): number;
  getEpoch(): number | undefined;
  isConnected(): boolean;
  write(msg: SDKMessage): void;
  sendResult(): void;
  sendControlRequest(req: SDKControlRequest): void;
  sendControlResponse(res: SDKControlResponse): void;
  sendControlCancelRequest(requestId: string): void;
  reconnectTransport(opts: { ingressToken: string; apiBaseUrl: string; epoch?: number }): Promise<void>;
  reportState(state: SessionState): void;
  reportMetadata(metadata: Record<string, unknown>): void;
  reportDelivery(eventId: string, status: 'processing' | 'processed'): void;
  flush(): Promise<void>;
  close(): void;
};

/** What `attachBridgeSession()` would take. */
export type AttachBridgeSessionOptions = {
  sessionId: string;
  ingressToken: string;
  apiBaseUrl: string;
  epoch?: number;
  initialSequenceNum?: number;
  heartbeatIntervalMs?: number;
  outboundOnly?: boolean;
  claudeCodeVersion?: string;
  onInboundMessage?: (msg: SDKMessage) => void | Promise<void>;
  onPermissionResponse?: (res: SDKControlResponse) => boolean | Nothing;
  onInterrupt?: () => void;
  onStopTask?: (taskId: string) => Promise<void>;
  onBackgroundTasks?: (toolUseId: string | undefined) => boolean | Promise<boolean>;
  onSetModel?: (model: string | undefined) => ModelVerdict | Nothing | Promise<ModelVerdict>;
  onSetMaxThinkingTokens?: (
    tokens: number | null | undefined,
    thinkingDisplay?: 'summarized' | 'omitted' | 'highlights' | null,
  ) => Verdict | Nothing | Promise<Verdict | Nothing>;
  onSetPermissionMode?: (mode: PermissionMode) => Verdict;
  onRenameSession?: (title: string) => Verdict;
  onClose?: (code?: number) => void;
};

/** Credentials of a worker of a hosted session. `expires_in` is in seconds. */
export type RemoteCredentials = { worker_jwt: string; api_base_url: string; expires_in: number; worker_epoch: number };

/** Credentials were refused, and will be again. */
export type CredentialsFailure =
  | { terminal: true; reason: 'untrusted_device' | 'session_stale_relogin' | 'invalid_session_id' }
  | { terminal: true; reason: 'session_security_tier_below_org_policy'; status: 403 }
  | {
      terminal: true;
      reason: 'request_rejected';
      status: number;
      sessionNotBridge?: true;
      source?: 'origin' | 'nonorigin_cf' | 'nonorigin_other';
    }
  | { terminal: true; reason: 'malformed_response'; status: number };

/** The login was refused; another one may work. */
export type CredentialsRejection = { terminal: false; reason: 'oauth_rejected' };

/** The repository a hosted session starts from. */
export type CodeSessionGitContext = { gitRepoUrl: string; branch: string; defaultBranch?: string };

/** State a caller shares between attempts, so that one event is logged once. */
export type BranchDropLogDedup = { lastKey?: string | null };

/** A hosted session could not be created, and trying again does not help. */
export type CreateSessionFailure = {
  terminal: true;
  reason: 'grouping_rejected' | 'request_rejected' | 'malformed_response';
  status: number;
  detail: string | undefined;
};
