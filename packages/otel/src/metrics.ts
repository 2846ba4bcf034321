import type { Attributes, MeterProvider } from '@opentelemetry/api';
import type { ControlContext, OperationContext, QueryContext, TurnContext } from 'claudewire';
import { errorType, safeName } from './content.js';
import { ATTR, ERROR_TYPE, METRIC, OWN, OWN_METRIC, SCHEMA_URL } from './conventions.js';
import { TurnUsage } from './ledger/turn-usage.js';
import type { FiguresByModel } from './ledger/usage.js';
import type { Listeners } from './listen.js';
import type { CheckedOptions } from './options.js';

/** Bucket limits that the conventions advise. */
const SECONDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const TOKENS = [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864];

/** What runs do, as metrics. No attribute has an id or a name that the model makes up. */
export function metricListeners(provider: MeterProvider, version: string, options: CheckedOptions): Listeners {
  const meter = provider.getMeter('claudewire-otel', version, { schemaUrl: SCHEMA_URL });
  const seconds = (name: string, description: string) =>
    meter.createHistogram(name, { unit: 's', description, advice: { explicitBucketBoundaries: SECONDS } });
  const duration = seconds(METRIC.OPERATION_DURATION, 'Duration of runs, sub-agents, model calls and tools');
  const firstChunk = seconds(METRIC.OPERATION_TIME_TO_FIRST_CHUNK, 'Time to the first streamed piece of an answer');
  const control = seconds(OWN_METRIC.CONTROL, 'Time to the answer of a control request');
  const tokens = meter.createHistogram(METRIC.TOKEN_USAGE, {
    unit: '{token}',
    description: 'Tokens of a turn by model, sub-agents included',
    advice: { explicitBucketBoundaries: TOKENS },
  });
  const cost = meter.createCounter(OWN_METRIC.COST, { unit: 'USD', description: 'Cost as Claude Code reckons it' });
  const queue = meter.createGauge(OWN_METRIC.QUEUE, { unit: '{message}', description: 'User messages that wait' });
  /** Of runs whose start was seen. Of another one nobody knows what it had used before. */
  const usages = new WeakMap<QueryContext, TurnUsage>();

  const common = (operation: string): Attributes => ({
    [ATTR.OPERATION_NAME]: operation,
    [ATTR.PROVIDER_NAME]: options.providerName,
  });
  const ended = (operation: string, context: OperationContext, more: Attributes = {}) =>
    duration.record(secondsOf(context), { ...common(operation), ...more, ...errorAttribute(context) });

  const onFigures = (models: FiguresByModel | undefined): void => {
    for (const [model, figures] of models ?? []) {
      const attributes = { ...common('chat'), [ATTR.RESPONSE_MODEL]: safeName(model) };
      const input = figures.input + figures.cacheRead + figures.cacheWrite;
      tokens.record(input, { ...attributes, [ATTR.TOKEN_TYPE]: 'input' });
      tokens.record(figures.output, { ...attributes, [ATTR.TOKEN_TYPE]: 'output' });
      if (figures.costUsd !== undefined && figures.costUsd >= 0) cost.add(figures.costUsd, attributes);
    }
  };
  const onTurn = ({ query, result, queued }: TurnContext): void => {
    queue.record(queued);
    onFigures(usages.get(query)?.onResult(result));
  };
  const onControl = (request: ControlContext): void =>
    control.record(secondsOf(request), {
      [OWN.REQUEST_SUBTYPE]: safeName(request.subtype),
      [OWN.REQUEST_FROM]: request.from,
      ...errorAttribute(request),
    });

  return {
    query: {
      start: (query) => usages.set(query, new TurnUsage(query.isResumed ? undefined : new Map())),
      end: (query) => {
        onFigures(usages.get(query)?.onExit(query.finalModelUsage));
        ended('invoke_agent', query, modelAttribute(ATTR.REQUEST_MODEL, query.model));
      },
    },
    turn: { start: ({ queued }) => queue.record(queued), end: onTurn },
    tool: { end: (tool) => ended('execute_tool', tool) },
    agent: { end: (agent) => ended('invoke_agent', agent) },
    chat: {
      end: (chat) => {
        const model = modelAttribute(ATTR.RESPONSE_MODEL, chat.model);
        ended('chat', chat, model);
        if (!chat.isStreamed || chat.firstTokenAt === undefined) return;
        firstChunk.record((chat.firstTokenAt - chat.startedAt) / 1000, { ...common('chat'), ...model });
      },
    },
    control: { end: onControl },
  };
}

function secondsOf({ startedAt, endedAt = startedAt }: OperationContext): number {
  return Math.max(0, endedAt - startedAt) / 1000;
}

function errorAttribute({ error }: OperationContext): Attributes {
  return error === undefined ? {} : { [ERROR_TYPE]: errorType(error.kind) };
}

function modelAttribute(name: string, model: string | undefined): Attributes {
  return model === undefined ? {} : { [name]: safeName(model) };
}
