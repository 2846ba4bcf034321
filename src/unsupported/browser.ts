import type { OnElicitation, OnUserDialog } from '../control/dialog-types.js';
import type { HookCallbackMatcher, HookEvent } from '../control/hook-types.js';
import type { CanUseTool } from '../control/permission-types.js';
import type { createSdkMcpServer as createOnNode } from '../mcp/create-sdk-mcp-server.js';
import type { McpServerConfig } from '../mcp/mcp-server-config.js';
import type { SDKMessage, SDKUserMessage } from '../parser/message.js';
import type { Query } from '../query/query-types.js';
import { outOfScope } from './out-of-scope.js';

/** @throws NotSupportedError always. */
export function query(_options: BrowserQueryOptions): Query {
  throw outOfScope('query() of the browser entry');
}

/** In-process servers are for a CLI on this machine. @throws NotSupportedError always. */
export const createSdkMcpServer: typeof createOnNode = () => {
  throw outOfScope('createSdkMcpServer() of the browser entry');
};

/** `false`: nothing here reads what a peer wrote. */
export const G4_TEXT_ENVELOPE_ARM_PORTED: boolean = false;

// A hosted run is needed to get anything else out of these, and nothing here makes one.

/** `undefined`: no query of this package reads server-sent events. */
export function getSseDropCounts(_query: Query): Readonly<Record<string, number>> | undefined {
  return undefined;
}

/** `undefined`: no query of this package reads server-sent events. */
export function getSseLastSequenceNum(_query: Query): number | undefined {
  return undefined;
}

/** `undefined`: no message of this package came with such an envelope. */
export function getCcrEvent(
  _query: Query,
  _message: SDKMessage,
): { event_id: string; sequence_num: number; created_at?: string; source?: string } | undefined {
  return undefined;
}

/** `false`: there was no stream to suspend. */
export function suspendSseStream(_query: Query): boolean {
  return false;
}

/** `false`: there was no stream to resume. */
export function resumeSseStream(_query: Query): boolean {
  return false;
}

/** Official, undeclared. Loading zod here would make it a dependency: use `import { z } from 'zod'`. */
export const z: object = new Proxy(Object.freeze({}), {
  get(_target, name) {
    // What consoles, test tools and `await` ask of any object.
    if (typeof name === 'symbol' || name === 'then' || name === 'toJSON') return undefined;
    throw outOfScope(`z.${name} (import it from zod)`);
  },
});

/** Shapes of the `claudewire/browser` entry, as the official one has them, so that code which names them compiles. */

/** A login for a hosted session. */
export type OAuthCredential = { type: 'oauth'; token: string };

/** The first message on a WebSocket. */
export type AuthMessage = { type: 'auth'; credential: OAuthCredential };

/** A hosted session over a WebSocket. */
export type WebSocketOptions = { url: string; headers?: Record<string, string>; authMessage?: AuthMessage };

/** A hosted session over server-sent events and POST requests. */
export type SSEOptions = {
  streamUrl: string;
  sendUrl: string;
  sessionId: string;
  headers?: Record<string, string>;
  fetchStream?: (url: string, init: RequestInit, overHttp: () => Promise<Response>) => Promise<Response>;
  fromSequenceNum?: number;
  onCatchUpTruncated?: () => void;
  onDeliveryUpdate?: (update: { event_id: string; status: string; timestamp?: string }) => void;
};

type BrowserQueryOptionsBase = {
  prompt: AsyncIterable<SDKUserMessage>;
  abortController?: AbortController;
  canUseTool?: CanUseTool;
  hooks?: Partial<Record<HookEvent, HookCallbackMatcher[]>>;
  mcpServers?: Record<string, McpServerConfig>;
  jsonSchema?: Record<string, unknown>;
  onElicitation?: OnElicitation;
  onUserDialog?: OnUserDialog;
  promptSuggestions?: boolean;
  supportedDialogKinds?: string[];
};

/** What the official browser `query()` takes: one of `websocket` and `sse`. */
export type BrowserQueryOptions = BrowserQueryOptionsBase &
  ({ websocket: WebSocketOptions; sse?: never } | { sse: SSEOptions; websocket?: never });
