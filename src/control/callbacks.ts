import type { OnElicitation, OnUserDialog } from './dialog-types.js';
import type { HookCallback, HookEvent } from './hook-types.js';
import type { McpEndpointFactory } from './mcp-endpoint.js';
import type { CanUseTool } from './permission-types.js';

/** A hook as the controller needs it: the id that `initialize` announced, its event, the function. */
export interface RegisteredHook {
  readonly callbackId: string;
  /** A known {@link HookEvent} or any other name. Decides how a bad result fails closed. */
  readonly event: HookEvent | (string & {});
  readonly callback: HookCallback;
}

/** Everything in the host program that the CLI may call. Produced by `planLaunch`. */
export interface Callbacks {
  readonly canUseTool?: CanUseTool;
  readonly hooks: readonly RegisteredHook[];
  readonly onElicitation?: OnElicitation;
  /** The answer to an elicitation without that callback. @defaultValue 'decline' */
  readonly unhandledElicitation?: 'decline' | 'cancel';
  readonly onUserDialog?: OnUserDialog;
  /** By the record key: the name on the wire. */
  readonly mcpServers: ReadonlyMap<string, McpEndpointFactory>;
  /** What a hook or permission callback that throws is answered with. @defaultValue 'report' (an error answer, the official behaviour) */
  readonly onHookError: 'report' | 'deny';
  /**
   * True when the CLI may need stdin after the last message: any callback above, or a `hooks`
   * object with at least one key, even an empty list (TS-097).
   */
  readonly needStdin: boolean;
}
