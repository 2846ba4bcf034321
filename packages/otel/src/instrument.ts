import { diag, metrics, trace } from '@opentelemetry/api';
import { VERSION } from 'claudewire';
import { claim } from './claim.js';
import { SCHEMA_URL } from './conventions.js';
import { listen } from './listen.js';
import { metricListeners } from './metrics.js';
import { checkOptions, type InstrumentOptions } from './options.js';
import { RunTracing } from './trace/trace-runs.js';

/** Ends the instrumentation. Spans of runs that go on are ended as `unfinished`. Safe to call twice. */
export interface Instrumentation extends Disposable {
  dispose(): void;
}

/**
 * Makes OpenTelemetry spans and metrics of every run that starts from now on. Nothing it does can fail a run: problems
 * go to OpenTelemetry's `diag` logger.
 *
 * Twice for one provider, also by another copy of this package, makes each span and measurement once: the later call
 * does nothing for that provider.
 * @throws InvalidOptionError an option is unknown or of a wrong type.
 *
 * @example
 * const instrumentation = instrumentClaudewire();
 */
export function instrumentClaudewire(options: InstrumentOptions = {}): Instrumentation {
  const checked = checkOptions(options);
  const undo: (() => void)[] = [];
  const releaseTracer = claim('tracer', options.tracerProvider, trace.getTracerProvider());
  if (releaseTracer === undefined) diag.warn('claudewire-otel: this tracer provider is instrumented already');
  else {
    const provider = options.tracerProvider ?? trace.getTracerProvider();
    const tracing = new RunTracing(provider.getTracer('claudewire-otel', VERSION, { schemaUrl: SCHEMA_URL }), checked);
    undo.push(
      listen(tracing.listeners, complain),
      () => tracing.close((error) => complain('end', error)),
      releaseTracer,
    );
  }
  const releaseMeter = claim('meter', options.meterProvider, metrics.getMeterProvider());
  if (releaseMeter === undefined) diag.warn('claudewire-otel: this meter provider is instrumented already');
  else {
    const provider = options.meterProvider ?? metrics.getMeterProvider();
    undo.push(listen(metricListeners(provider, VERSION, checked), complain), releaseMeter);
  }
  const dispose = (): void => {
    for (const each of undo.splice(0)) each();
  };
  return { dispose, [Symbol.dispose]: dispose };
}

function complain(channel: string, error: unknown): void {
  try {
    diag.error(`claudewire-otel: ${channel} could not be recorded`, error);
  } catch {
    // A logger that throws has no say here.
  }
}
