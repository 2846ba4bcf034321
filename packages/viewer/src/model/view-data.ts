/** What a frame is by its direction: written to the CLI, read from it, its standard error, a note of the recorder. */
export type Direction = 'in' | 'out' | 'err' | 'meta';

/** What was opened. */
export type SourceKind =
  | 'recording'
  | 'transcript'
  | 'session-log'
  | 'play-log'
  | 'scenario'
  | 'conformance-report'
  | 'verdict'
  | 'lines'
  | 'empty';

/** One line of the source, as the list shows it. */
export interface Frame {
  /** Milliseconds since the start, as the source says. */
  readonly t: number;
  readonly dir: Direction;
  /** Process, from 1. */
  readonly proc: number;
  /** `type/subtype`, `stderr`, `text`, or `meta/EVENT`. */
  readonly kind: string;
  /** What it says, on one short line. */
  readonly title: string;
  /** Length of the whole frame in the source, in bytes of UTF-8. */
  readonly bytes: number;
  /** Line of the source, from 1. */
  readonly line: number;
  /** Index of the frame that answers this one, or that this one answers. */
  readonly peer?: number;
  /** Of a request that was answered, milliseconds. */
  readonly latencyMs?: number;
  /** Of a control request, and of its answer. */
  readonly state?: ExchangeState;
  /** The gravest fault at this frame. */
  readonly severity?: Severity;
  /** Index into `texts`: the text that this frame is a piece of. */
  readonly text?: number;
}

export type ExchangeState = 'answered' | 'error' | 'cancelled' | 'unanswered' | 'open';

/** A control request and its answer. */
export interface Exchange {
  readonly id: string;
  readonly proc: number;
  readonly subtype: string;
  readonly from: 'host' | 'cli';
  /** Index of the frame. */
  readonly request: number;
  /** Index of the frame that answers or cancels it. */
  readonly answer?: number;
  readonly latencyMs?: number;
  readonly state: ExchangeState;
}

export type SpanKind =
  | 'process'
  | 'turn'
  | 'subagent'
  | 'tool'
  | 'permission'
  | 'question'
  | 'hook'
  | 'mcp'
  | 'request';

/** `unknown`: a tool call that was cut. */
export type SpanState = 'ok' | 'error' | 'denied' | 'unknown' | 'cancelled' | 'open';

/** Something that took time. */
export interface Span {
  readonly kind: SpanKind;
  readonly label: string;
  /** Milliseconds, on a clock that never goes back. */
  readonly start: number;
  readonly end: number;
  /** Index of the span that contains this one. It comes before. */
  readonly parent?: number;
  /** Lane, from 0: below the lane of the parent, and free of overlaps. */
  readonly lane: number;
  /** Index of the frame that begins it. */
  readonly frame: number;
  /** Index of the frame that ends it; absent while it is open. */
  readonly endFrame?: number;
  readonly state: SpanState;
  /** `tool_use_id`, `request_id`, `task_id` or `hook_id`: as in the log and in the trace. */
  readonly id?: string;
}

/** A text that came in pieces. */
export interface StreamedText {
  readonly kind: 'text' | 'thinking' | 'input' | 'other';
  /** The tool call of the sub-agent that wrote it. */
  readonly parent?: string;
  /** Index of the first and of the last frame. */
  readonly first: number;
  readonly last: number;
  readonly pieces: number;
  /** At most 65,536 characters of it. */
  readonly text: string;
  /** Of the whole text. */
  readonly chars: number;
}

/** One figure over time: milliseconds and values, of the same length. */
export interface Series {
  readonly t: readonly number[];
  readonly v: readonly number[];
}

export interface Plots {
  /** Tokens that a call of the main conversation read: input, cache reads and cache writes. One point a call. */
  readonly context: Series;
  /** Input, cache reads and cache writes so far. One point a result; of a transcript one a message. */
  readonly inputTokens: Series;
  readonly outputTokens: Series;
  /** US dollars so far, as the CLI reports them, over all processes. One point a result. */
  readonly costUsd: Series;
}

export type Severity = 'error' | 'warning';

export type FaultKind =
  | 'bad-json'
  | 'no-frame'
  | 'unknown-frame'
  | 'bad-frame'
  | 'result-error'
  | 'api-error'
  | 'tool-error'
  | 'hook-error'
  | 'control-error'
  | 'time-out'
  | 'retry'
  | 'unanswered'
  | 'unexpected-answer'
  | 'cancelled'
  | 'permission-denied'
  | 'exit'
  | 'signal'
  | 'clock'
  | 'too-long'
  | 'failed-scenario';

export interface Fault {
  readonly kind: FaultKind;
  readonly severity: Severity;
  /** Index. */
  readonly frame: number;
  readonly text: string;
}

/** Everything the page shows, but for the bodies of the frames. */
export interface ViewData {
  /** Counts up when a field changes its meaning. */
  readonly format: 1;
  readonly source: {
    readonly kind: SourceKind;
    readonly name: string;
    readonly about?: string;
    readonly cliVersion?: string;
    readonly bytes: number;
    readonly lines: number;
  };
  /** What is not shown, and why. */
  readonly notes: readonly string[];
  readonly durationMs: number;
  readonly frames: readonly Frame[];
  readonly exchanges: readonly Exchange[];
  readonly spans: readonly Span[];
  readonly texts: readonly StreamedText[];
  readonly plots: Plots;
  readonly faults: readonly Fault[];
}
