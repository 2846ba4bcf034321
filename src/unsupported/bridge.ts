import type {
  AttachBridgeSessionOptions,
  BranchDropLogDedup,
  BridgeSessionHandle,
  CodeSessionGitContext,
  CreateSessionFailure,
  CredentialsFailure,
  CredentialsRejection,
  RemoteCredentials,
} from './bridge-types.js';
import { outOfScope } from './out-of-scope.js';

/** @throws NotSupportedError always, as a rejection. */
export async function attachBridgeSession(
  _opts: AttachBridgeSessionOptions,
): Promise<BridgeSessionHandle> {
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
  return typeof value === 'object' && value !== null && 'terminal' in value
    ? value.terminal
    : undefined;
}
