import type { DiagnosticListener } from '../diagnostics.js';
import type { FrameTransport, TransportEnd } from '../transport/transport.js';
import type { JsonObject } from '../util/json.js';
import type { OnElicitation, OnUserDialog } from './dialog-types.js';
import type { HookCallback, HookEvent } from './hook-types.js';
import type { McpEndpointFactory } from './mcp-endpoint.js';
import type { CanUseTool } from './permission-types.js';

/** Options of a `QueryController`. */
export interface QueryControllerOptions {
  /** Not yet opened: the controller opens it and is its only receiver. */
  readonly transport: FrameTransport;
  readonly callbacks: Callbacks;
  /** Fields of `initialize` without `subtype`. Manifests of in-process servers are added by the controller. */
  readonly initialize: JsonObject;
  readonly policy: ControlPolicy;
  /** Makes request ids. @defaultValue random base-36 ids as in the official SDK */
  readonly nextRequestId?: () => string;
  readonly receiver: ControllerReceiver;
  /**
   * Resolves when the peer runs: the limit of `initialize` counts from there.
   * @defaultValue it runs once the transport is open
   */
  readonly peerStarted?: Promise<void> | undefined;
}

export interface ControlPolicy {
  /** `string`, `stream`: the rules of `StdinLifetime`. `held`: stdin stays open until the caller ends it. */
  readonly closeRule: 'string' | 'stream' | 'held';
  /** How long a finished turn may hold stdin in silence. Milliseconds; `Infinity`: no limit. @defaultValue 600_000 */
  readonly quietCapMs?: number | undefined;
  /** Whether a callback that settles after its request was cancelled is still answered (TS-122) or not (PY-132). */
  readonly answerAfterCancel: boolean;
  /** Whether a deny of `canUseTool` without a message gets an empty one (PY-218). */
  readonly fillDenyMessage: boolean;
  /** Milliseconds; `Infinity`: no limit. */
  readonly initializeTimeoutMs: number;
  /** Whether the time of SessionStart and Setup hooks counts towards that limit. @defaultValue false */
  readonly countsStartHooks?: boolean;
  /** Milliseconds; `Infinity`: no limit. `undefined`: by subtype. */
  readonly controlTimeoutMs: number | undefined;
}

/** The session, as the controller sees it. */
export interface ControllerReceiver {
  /** Once per frame that is not the control protocol's own, in wire order, the frame as it came. */
  onMessage(frame: JsonObject, bytes: number, line: string | undefined): void;
  /** A frame that is never shown (control, keep_alive, host-only state) arrived. For liveness. */
  onHiddenFrame(type: string): void;
  /** What the CLI wrote to a transcript. Also after the session was shut down, until the end. */
  onTranscriptMirror(frame: JsonObject, bytes: number): void;
  /** stdin was ended, by a rule or by the caller: the CLI should leave by itself from here on. Once. */
  onInputEnd(): void;
  readonly onDiagnostic: DiagnosticListener;
  /**
   * Once and last. The error is what every pending request rejects with; the session knows best, since it has seen the
   * results.
   */
  onEnd(end: TransportEnd): Error;
}

export interface RequestOptions {
  /**
   * Milliseconds from the answer to `initialize` or the call, whichever is later. `0` or `Infinity`: no limit.
   * @defaultValue by subtype
   */
  readonly timeoutMs?: number;
  /** Gives up waiting (with an `AbortError`) and tells the CLI so with `control_cancel_request`. */
  readonly signal?: AbortSignal;
}

/** A hook as the controller needs it: the id that `initialize` announced, its event, the function. */
export interface RegisteredHook {
  readonly callbackId: string;
  /** A known {@link HookEvent} or any other name. Decides how a bad result fails closed. */
  readonly event: HookEvent | (string & {});
  readonly callback: HookCallback;
}

/** Everything in the host program that the CLI may call. Produced by `planLaunch`. */
export interface Callbacks {
  readonly canUseTool?: CanUseTool | undefined;
  readonly hooks: readonly RegisteredHook[];
  readonly onElicitation?: OnElicitation | undefined;
  /** The answer to an elicitation without that callback. @defaultValue 'decline' */
  readonly unhandledElicitation?: 'decline' | 'cancel' | undefined;
  readonly onUserDialog?: OnUserDialog | undefined;
  /** By the record key: the name on the wire. */
  readonly mcpServers: ReadonlyMap<string, McpEndpointFactory>;
  /**
   * The answer when a hook or permission callback throws.
   * @defaultValue 'report' (an error answer, the official behaviour)
   */
  readonly onHookError: 'report' | 'deny';
  /**
   * True when the CLI may need stdin after the last message: any callback above, or a `hooks` object with at least one
   * key, even an empty list (TS-097).
   */
  readonly needStdin: boolean;
}
