import {
  type Attributes,
  type Context,
  context as contexts,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { OperationContext, QueryContext, TurnContext } from 'claudewire';
import { errorType, safeName } from '../content.js';
import { ATTR, ERROR_TYPE, OWN } from '../conventions.js';
import type { CheckedOptions } from '../options.js';

export interface NewSpan {
  readonly name: string;
  readonly kind?: SpanKind;
  readonly attributes: Attributes;
  /** The first of them that has a span is the parent; otherwise the turn that runs, or the run. */
  readonly parents?: readonly (object | undefined)[];
}

/** Spans of one run, by the context of their operation. Every one that begins here ends, at the latest with the run. */
export class RunSpans {
  readonly #tracer: Tracer;
  readonly #options: CheckedOptions;
  readonly #query: QueryContext;
  readonly #root: Span;
  readonly #rootContext: Context;
  /** Of operations that run. */
  readonly #open = new Map<object, Span>();
  /** Ended ones stay the parent of what comes later: a call ends after the answer that it is in. */
  readonly #contexts = new WeakMap<object, Context>();
  /** By the clock of the contexts, a moment after the run's start. */
  readonly #beganAt = performance.now();
  /** The turn that runs. Each has a span, however many there are: of the events of a span only the last 128 are kept. */
  #turn: { readonly span: Span; readonly context: Context } | undefined;
  /** Of what was recorded so far. */
  #latest: number;
  #count = 1;
  #left = 0;

  constructor(tracer: Tracer, options: CheckedOptions, query: QueryContext) {
    this.#tracer = tracer;
    this.#options = options;
    this.#query = query;
    this.#latest = query.startedAt;
    // Only the caller's span is the parent: baggage and whatever else is in the context stay out of it.
    const active = trace.getSpanContext(contexts.active());
    const parent = active === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, active);
    this.#root = tracer.startSpan(
      `invoke_agent ${options.agentName}`,
      { kind: SpanKind.INTERNAL, startTime: query.startedAt, attributes: this.#common('invoke_agent') },
      parent,
    );
    this.#root.setAttributes({
      [ATTR.AGENT_NAME]: options.agentName,
      [OWN.FRONT]: query.front,
      ...(query.model === undefined ? {} : { [ATTR.REQUEST_MODEL]: safeName(query.model) }),
    });
    this.#rootContext = trace.setSpan(ROOT_CONTEXT, this.#root);
    this.#contexts.set(query, this.#rootContext);
  }

  get root(): Span {
    return this.#root;
  }

  get query(): QueryContext {
    return this.#query;
  }

  /** Not counted: no turn of a long run is left out. */
  startTurn(turn: TurnContext, name: string, attributes: Attributes): void {
    const span = this.#tracer.startSpan(
      name,
      { kind: SpanKind.INTERNAL, startTime: turn.startedAt, attributes },
      this.#rootContext,
    );
    this.#turn = { span, context: trace.setSpan(ROOT_CONTEXT, span) };
    this.#open.set(turn, span);
    this.#contexts.set(turn, this.#turn.context);
  }

  start(operation: OperationContext, { name, kind, attributes, parents = [] }: NewSpan): void {
    if (this.#open.has(operation)) return;
    if (this.#count >= this.#options.maxSpansPerRun) {
      this.#left += 1;
      return;
    }
    this.#count += 1;
    const known = parents.map((each) => each && this.#contexts.get(each)).find((each) => each !== undefined);
    const span = this.#tracer.startSpan(
      safeName(name),
      { kind: kind ?? SpanKind.INTERNAL, startTime: operation.startedAt, attributes },
      known ?? this.#turn?.context ?? this.#rootContext,
    );
    this.#open.set(operation, span);
    this.#contexts.set(operation, trace.setSpan(ROOT_CONTEXT, span));
  }

  spanOf(operation: object | undefined): Span | undefined {
    return operation === this.#query ? this.#root : operation && this.#open.get(operation);
  }

  /**
   * Adds the end of an operation as an event to the span of `on`, or to that of the turn, or of the run, once that one
   * is closed. Its time is that of the contexts, as of all spans: the SDK's own clock has whole milliseconds, so the
   * event could lie outside its span.
   */
  event(name: string, operation: OperationContext, attributes: Attributes, on?: object): void {
    const at = this.#seen(operation.endedAt);
    (this.spanOf(on) ?? this.#turn?.span ?? this.#root).addEvent(name, attributes, at);
  }

  end(operation: OperationContext, attributes: Attributes = {}): void {
    const span = this.#open.get(operation);
    if (span === undefined) return;
    this.#open.delete(operation);
    if (this.#turn?.span === span) this.#turn = undefined;
    finish(span, operation, attributes, this.#seen(operation.endedAt));
  }

  /** Ends everything. @throws the first error of the tracer, once every span was told to end. */
  close(attributes: Attributes = {}): void {
    const errors: unknown[] = [];
    const attempt = (end: () => void): void => {
      try {
        end();
      } catch (error) {
        errors.push(error);
      }
    };
    const endedAt = this.#seen(this.#query.endedAt);
    for (const span of this.#open.values()) {
      attempt(() => {
        span.setStatus({ code: SpanStatusCode.ERROR, message: 'The run ended first' });
        span.setAttribute(ERROR_TYPE, 'unfinished');
        span.end(endedAt);
      });
    }
    this.#open.clear();
    this.#turn = undefined;
    attempt(() => {
      if (this.#left > 0) this.#root.setAttribute('claudewire.spans_left_out', this.#left);
      finish(this.#root, this.#query, attributes, endedAt);
    });
    if (errors.length > 0) throw errors[0];
  }

  /** The time of an end. Of a run that goes on: now, and not before anything that was recorded. */
  #seen(at: number | undefined): number {
    const time = at ?? Math.max(this.#latest, this.#query.startedAt + performance.now() - this.#beganAt);
    this.#latest = Math.max(this.#latest, time);
    return time;
  }

  /** On every span. */
  #common(operation: string): Attributes {
    return {
      [ATTR.OPERATION_NAME]: operation,
      [ATTR.PROVIDER_NAME]: this.#options.providerName,
      [OWN.RUN]: this.#query.run,
    };
  }

  /** Attributes that every span of an operation has, with the conversation once it is known. */
  attributes(operation: string, { sessionId }: OperationContext): Attributes {
    const common = this.#common(operation);
    return sessionId === undefined ? common : { ...common, [ATTR.CONVERSATION_ID]: safeName(sessionId) };
  }
}

function finish(span: Span, { error, stopped }: OperationContext, attributes: Attributes, endedAt: number): void {
  span.setAttributes(attributes);
  // What somebody decided is no error.
  if (stopped !== undefined) span.setAttribute(OWN.OUTCOME, stopped);
  if (error !== undefined) {
    const kind = errorType(error.kind);
    span.setAttribute(ERROR_TYPE, kind);
    // The message may quote the model or a tool, so it stays out.
    span.setStatus({ code: SpanStatusCode.ERROR, message: kind });
  }
  span.end(endedAt);
}
