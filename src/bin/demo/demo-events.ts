/** What the demo shows, one object a step; `--json` prints them as they are. */
export type DemoEvent =
  | {
      readonly type: 'start';
      readonly mode: 'scripted' | 'live';
      readonly scenario?: string;
      /** The tour has one for each act. */
      readonly prompt?: string;
    }
  | {
      readonly type: 'act';
      readonly number: number;
      readonly of: number;
      readonly title: string;
      readonly prompt: string;
    }
  | {
      readonly type: 'next';
      /** Commands, and pages of the repository. */
      readonly commands: readonly { readonly command: string; readonly does: string }[];
    }
  | { readonly type: 'session'; readonly model: string; readonly tools: number }
  /** A piece of the answer, as it streams. */
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'text_end' }
  | {
      readonly type: 'tool_call';
      readonly id: string;
      readonly name: string;
      readonly input: unknown;
    }
  | {
      readonly type: 'tool_result';
      readonly id: string;
      readonly text: string;
      readonly isError: boolean;
    }
  | {
      readonly type: 'permission';
      readonly tool: string;
      readonly input: unknown;
      readonly decision: 'allow' | 'deny';
      readonly reason: string;
    }
  | { readonly type: 'hook'; readonly event: string; readonly tool: string }
  /** The demo's own tool ran, in this process. */
  | { readonly type: 'in_process_tool'; readonly name: string; readonly result: string }
  | {
      readonly type: 'retry';
      readonly attempt: number;
      readonly maxRetries: number;
      readonly delayMs: number;
      readonly status: number | null;
    }
  | { readonly type: 'interrupt' }
  | { readonly type: 'stderr'; readonly text: string }
  | {
      readonly type: 'error';
      readonly name: string;
      readonly errorClass?: string;
      readonly message: string;
      readonly hint?: string;
    }
  | {
      readonly type: 'summary';
      readonly outcome: string;
      readonly message: string;
      readonly turns: number;
      readonly inputTokens: number;
      readonly outputTokens: number;
      readonly costUsd: number;
      /** Milliseconds on this machine's clock, from the call of `query()` to the end of the loop. */
      readonly durationMs: number;
    };

/** Takes events in order. */
export type DemoListener = (event: DemoEvent) => void;
