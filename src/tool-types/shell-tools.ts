/** Bash and Monitor. Times are milliseconds. */

export type BashInput = {
  command: string;
  timeout?: number;
  description?: string;
  run_in_background?: boolean;
  dangerouslyDisableSandbox?: boolean;
};

export type BashOutput = {
  stdout: string;
  stderr: string;
  interrupted: boolean;
  /** `stdout` is an image in base64. */
  isImage?: boolean;
  rawOutputPath?: string;
  backgroundTaskId?: string;
  backgroundedByUser?: boolean;
  backgroundCwdHint?: string;
  backgroundEndsWithFinalResponse?: true;
  backgroundWakesOwner?: true;
  timedOutAfterMs?: number;
  dangerouslyDisableSandbox?: boolean;
  /** What an exit code other than 0 means, where that is no failure. */
  returnCodeInterpretation?: string;
  noOutputExpected?: boolean;
  structuredContent?: unknown[];
  /** The file that holds an output too long to show, and its bytes. */
  persistedOutputPath?: string;
  persistedOutputSize?: number;
  staleReadFileStateHint?: string;
  ghRateLimitHint?: string;
  /** What the command did to the repository. */
  gitOperation?: {
    commit?: { sha: string; kind: 'committed' | 'amended' | 'cherry-picked'; branch?: string };
    push?: { branch: string };
    branch?: { ref: string; action: 'merged' | 'rebased' };
    pr?: {
      number: number;
      url?: string;
      action:
        | 'created'
        | 'edited'
        | 'merged'
        | 'commented'
        | 'closed'
        | 'reopened'
        | 'ready'
        | 'draft'
        | 'auto-merge-enabled'
        | 'auto-merge-disabled';
    };
  };
};

/** Watches the lines of a command, or of a WebSocket. */
export type MonitorInput = {
  description: string;
  timeout_ms: number;
  command?: string;
  ws?: { url: string; protocols?: string[] };
};

export type MonitorOutput = {
  taskId: string;
  /** `0` while the session lasts. */
  timeoutMs: number;
  persistent?: boolean;
  keptInSandboxByCheck?: boolean;
};
