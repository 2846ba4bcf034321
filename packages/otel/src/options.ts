import type { MeterProvider, TracerProvider } from '@opentelemetry/api';
import { aBoolean, aCount, aFunction, aName, checkOptionsOf, oneOf, type Rule, withMethod } from './check.js';

/** What a piece of captured content is. */
export type ContentKind = 'answer' | 'tool_input' | 'tool_output';

export interface InstrumentOptions {
  /** @defaultValue the globally registered one, also when it is registered later */
  readonly tracerProvider?: TracerProvider;
  /** @defaultValue the globally registered one at the time of the call */
  readonly meterProvider?: MeterProvider;
  /**
   * Puts answers, tool inputs and tool results on the spans. They may have secrets and personal data.
   * @defaultValue false
   */
  readonly captureContent?: boolean;
  /**
   * Gets every piece of content before it is put on a span, and returns what may be seen; `undefined` leaves it out.
   * Content whose `redact` throws is left out. Our own rules for secrets have been applied before.
   */
  readonly redact?: (text: string, kind: ContentKind) => string | undefined;
  /** Longest piece of content in UTF-16 units; longer ones are cut and say so. @defaultValue 8192 */
  readonly maxContentLength?: number;
  /** `gen_ai.provider.name`. @defaultValue 'anthropic' */
  readonly providerName?: string;
  /** `gen_ai.agent.name` of the main agent. @defaultValue 'claude-code' */
  readonly agentName?: string;
  /**
   * Who makes the spans of model calls and tools. `'host'`: this package, from the messages. `'cli'`: the CLI's own
   * telemetry, which joins this trace through `TRACEPARENT`; the host then leaves out `chat` and `execute_tool`, so
   * that nothing is there twice, and says on the run's span what the CLI's spans do not. `'auto'`: `'cli'` for a run
   * whose environment switches those traces on, in a release that is known to have them (2.1.330 or newer).
   * @defaultValue 'auto'
   */
  readonly innerSpans?: 'auto' | 'host' | 'cli';
  /**
   * Gives the CLI the span of its run as `TRACEPARENT`. A `TRACEPARENT` in `options.env` of the run wins.
   * @defaultValue true
   */
  readonly propagate?: boolean;
  /** Most spans that one run may have; later chats, tools and hooks are only counted. @defaultValue 20_000 */
  readonly maxSpansPerRun?: number;
}

export type CheckedOptions = Required<Omit<InstrumentOptions, 'tracerProvider' | 'meterProvider' | 'redact'>> &
  Pick<InstrumentOptions, 'tracerProvider' | 'meterProvider' | 'redact'>;

const RULES: Readonly<Record<keyof InstrumentOptions, Rule>> = {
  tracerProvider: withMethod('a provider', 'getTracer'),
  meterProvider: withMethod('a provider', 'getMeter'),
  captureContent: aBoolean,
  redact: aFunction,
  maxContentLength: aCount,
  providerName: aName,
  agentName: aName,
  innerSpans: oneOf('auto', 'host', 'cli'),
  propagate: aBoolean,
  maxSpansPerRun: aCount,
};

/** @throws InvalidOptionError an option is unknown or of a wrong type. */
export function checkOptions(options: InstrumentOptions): CheckedOptions {
  checkOptionsOf('instrumentClaudewire()', options, RULES);
  const {
    captureContent = false,
    maxContentLength = 8_192,
    providerName = 'anthropic',
    agentName = 'claude-code',
  } = options;
  const { innerSpans = 'auto', propagate = true, maxSpansPerRun = 20_000 } = options;
  return {
    ...options,
    captureContent,
    maxContentLength,
    providerName,
    agentName,
    innerSpans,
    propagate,
    maxSpansPerRun,
  };
}
