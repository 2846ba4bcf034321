interface HookFields {
  /** A permission rule: the hook runs only for calls that match. */
  if?: string;
  /** Seconds. */
  timeout?: number;
  /** Shown while it runs. */
  statusMessage?: string;
  /** Runs once in a session, then is taken away. */
  once?: boolean;
}

interface Failing {
  onFailure?: 'continue' | 'block';
}

/** What runs when an event comes, told apart by `type`. */
export type HookSetting =
  | (HookFields &
      Failing & {
        type: 'command';
        command: string;
        /** With these the command is run directly, not by a shell. */
        args?: string[];
        shell?: 'bash' | 'powershell';
        /** The turn does not wait for it. */
        async?: boolean;
        /** The same, and its end may wake the session. */
        asyncRewake?: boolean;
      })
  | (HookFields & { type: 'prompt'; prompt: string; model?: string; continueOnBlock?: boolean })
  | (HookFields & { type: 'agent'; prompt: string; model?: string })
  | (HookFields &
      Failing & {
        type: 'http';
        url: string;
        headers?: { [name: string]: string };
        /** Variables that may stand in headers. */
        allowedEnvVars?: string[];
      })
  | (HookFields &
      Failing & {
        type: 'mcp_tool';
        server: string;
        tool: string;
        input?: { [argument: string]: unknown };
      });

/** Hooks by event name. */
export interface HookSettings {
  [event: string]: {
    /** A pattern on the tool name, or on the event's subject. */
    matcher?: string;
    hooks: HookSetting[];
  }[];
}
