import type { OnElicitation, OnUserDialog } from '../control/dialog-types.js';
import type { HookCallbackMatcher, HookEvent } from '../control/hook-types.js';
import type { CanUseTool } from '../control/permission-types.js';
import type { McpServerConfig } from '../mcp/mcp-server-config.js';
import type { SDKUserMessage } from '../parser/message.js';

/** Shapes of the `claudewire/browser` entry, as the official one has them, so that code which names them compiles. */

/** A login for a hosted session. */
export type OAuthCredential = { type: 'oauth'; token: string };

/** The first message on a WebSocket. */
export type AuthMessage = { type: 'auth'; credential: OAuthCredential };

/** A hosted session over a WebSocket. */
export type WebSocketOptions = {
  url: string;
  headers?: Record<string, string>;
  authMessage?: AuthMessage;
};

/** A hosted session over server-sent events and POST requests. */
export type SSEOptions = {
  streamUrl: string;
  sendUrl: string;
  sessionId: string;
  headers?: Record<string, string>;
  fetchStream?: (
    url: string,
    init: RequestInit,
    overHttp: () => Promise<Response>,
  ) => Promise<Response>;
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
