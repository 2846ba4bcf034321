import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, type ReadableSpan, type Span, type SpanProcessor } from '@opentelemetry/sdk-trace-base';
import { onTestFinished } from 'vitest';
import { type InstrumentOptions, instrumentClaudewire } from '../../src/index.js';

/** Counts how often each span began and ended. */
export class SpanLedger implements SpanProcessor {
  readonly started: Span[] = [];
  readonly ended: ReadableSpan[] = [];

  onStart(span: Span): void {
    this.started.push(span);
  }

  onEnd(span: ReadableSpan): void {
    this.ended.push(span);
  }

  async forceFlush(): Promise<void> {}

  async shutdown(): Promise<void> {}

  named(start: string): ReadableSpan[] {
    return this.ended.filter(({ name }) => name.startsWith(start));
  }

  /** Ids of spans that began and did not end once. */
  unbalanced(): string[] {
    const ends = new Map<string, number>();
    for (const span of this.ended) {
      const { spanId } = span.spanContext();
      ends.set(spanId, (ends.get(spanId) ?? 0) + 1);
    }
    return this.started.flatMap((span) => {
      const { spanId } = span.spanContext();
      return ends.get(spanId) === 1 ? [] : [`${span.name} ${ends.get(spanId) ?? 0}`];
    });
  }

  /** The tree as indented names, in the order in which spans began. */
  tree(parent: string | undefined = undefined, depth = 0): string[] {
    const known = new Set(this.started.map((span) => span.spanContext().spanId));
    const isChild = (span: Span): boolean => {
      const id = span.parentSpanContext?.spanId;
      return parent === undefined ? id === undefined || !known.has(id) : id === parent;
    };
    return this.started
      .filter(isChild)
      .flatMap((span) => ['  '.repeat(depth) + span.name, ...this.tree(span.spanContext().spanId, depth + 1)]);
  }
}

export interface Telemetry {
  readonly spans: SpanLedger;
  readonly provider: BasicTracerProvider;
  /** Data points by metric. */
  metrics(): Promise<Map<string, { readonly attributes: object; readonly value: unknown }[]>>;
}

/** Providers of a test's own, instrumented until it ends. */
export function telemetry(options: InstrumentOptions = {}): Telemetry {
  const spans = new SpanLedger();
  const provider = new BasicTracerProvider({ spanProcessors: [spans], spanLimits: { eventCountLimit: 10_000 } });
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  const meters = new MeterProvider({ readers: [reader] });
  const instrumentation = instrumentClaudewire({ tracerProvider: provider, meterProvider: meters, ...options });
  onTestFinished(async () => {
    instrumentation.dispose();
    await meters.shutdown();
    await provider.shutdown();
  });
  return {
    spans,
    provider,
    metrics: async () => {
      await reader.forceFlush();
      const all =
        exporter
          .getMetrics()
          .at(-1)
          ?.scopeMetrics.flatMap(({ metrics }) => metrics) ?? [];
      return new Map(all.map(({ descriptor, dataPoints }) => [descriptor.name, [...dataPoints]]));
    },
  };
}
