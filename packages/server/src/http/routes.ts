import type { Decision } from '../approvals/approval.js';
import { MAX_PAGE } from '../host/argument-checks.js';
import type { Answer } from '../host/questions.js';
import type { SessionHost } from '../host/session-host.js';
import { json, Problem, type ProblemCode } from './problem.js';
import { numberIn, type Parameter, readNumber, type Text, type WholeNumber, wordIn } from './query.js';
import type { Repeats } from './repeats.js';
import * as schemas from './schemas.js';
import { eventStream, type StreamOptions } from './sse.js';
import { wholeMessages } from './whole-messages.js';

export interface RouteCall {
  readonly host: SessionHost;
  readonly tenant: string;
  readonly params: Readonly<Record<string, string>>;
  readonly url: URL;
  readonly request: Request;
  /** Checked against `body` of the route. */
  readonly body: unknown;
  readonly stream: StreamOptions;
  readonly repeats: Repeats;
  /** @throws Problem `forbidden`. */
  assertMayDecide(approvalId: string): Promise<void>;
}

export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** With `:name` for a parameter. */
  readonly path: string;
  readonly operation: string;
  readonly summary: string;
  /** What the path takes behind `?`. Others are refused. */
  readonly query?: Readonly<Record<string, Parameter>>;
  readonly headers?: Readonly<Record<string, WholeNumber | Text>>;
  readonly body?: object;
  readonly status: number;
  /** Absent: no content, or events. */
  readonly answer?: object;
  readonly contentType?: string;
  /** Headers that the answer has, by what they say. */
  readonly answerHeaders?: Readonly<Record<string, string>>;
  /** What it can be refused with, beside what every route of its form can. */
  readonly refusals?: readonly ProblemCode[];
  run(call: RouteCall): Promise<Response>;
}

/** The store gives whole transcripts, of whatever length. */
const ALL = 2 ** 31 - 1;

const IDEMPOTENCY_KEY = {
  says: 'A repeated request with the same key gets the answer to the first one, for ten minutes, on the same host.',
  maxLength: 255,
};

const NUMBER = { least: 0, most: Number.MAX_SAFE_INTEGER };
const LIST = { limit: { says: 'At most so many conversations.', least: 1, most: MAX_PAGE, otherwise: 100 } };
const LAST_EVENT_ID = { ...NUMBER, says: 'Goes on after this event. Counts more than `after`.' };
const EVENTS = {
  after: { ...NUMBER, says: 'As `Last-Event-ID`, for the first connection. 0: from the beginning.', otherwise: 0 },
  deltas: {
    says: '`live`: what was said before comes as whole messages, without the deltas (`stream_event`) that it has.',
    words: ['all', 'live'],
  },
} as const;
const TRANSCRIPT = {
  limit: { says: 'At most so many messages.', least: 1, most: 1_000, otherwise: 200 },
  offset: { ...NUMBER, says: 'How many messages are skipped, from the oldest on.', otherwise: 0 },
  fromEnd: {
    ...NUMBER,
    says: 'A number, instead of `offset`: the newest messages, after so many of them were skipped. 0: the end.',
  },
};

const keyOf = ({ tenant, params }: RouteCall) => ({ tenant, id: params.id ?? '' });

/** The router and the OpenAPI description are made of this table. */
export const ROUTES: readonly Route[] = [
  {
    ...{ method: 'GET', path: '/conversations', operation: 'listConversations' },
    summary: 'The conversations of the user, the last changed first, page by page.',
    query: {
      limit: LIST.limit,
      after: { says: '`next` of the page before. Without it, the first page.', maxLength: 128 },
    },
    ...{ status: 200, answer: schemas.CONVERSATIONS },
    run: async ({ host, tenant, url }) => {
      const after = url.searchParams.get('after');
      const limit = numberIn(url, 'limit', LIST.limit);
      return json(await host.list({ tenant, limit, ...(after === null ? {} : { after }) }));
    },
  },
  {
    ...{ method: 'POST', path: '/conversations', operation: 'createConversation' },
    summary: 'A new conversation.',
    ...{ body: schemas.CREATE, status: 201, answer: schemas.CONVERSATION },
    answerHeaders: { Location: 'Where the conversation is, relative to this path.' },
    headers: { 'Idempotency-Key': IDEMPOTENCY_KEY },
    refusals: ['draining', 'conflict', 'limit_reached'],
    run: async ({ host, tenant, body, request, repeats }) => {
      const { title } = body as { title?: string };
      return await repeats.answer(request, tenant, body, async () => {
        const made = await host.create({ tenant, ...(title === undefined ? {} : { title }) });
        // Relative to the request, so that it leads there under a path prefix too.
        return json(made, { status: 201, headers: { location: `conversations/${made.id}` } });
      });
    },
  },
  {
    ...{ method: 'GET', path: '/conversations/:id', operation: 'getConversation' },
    summary: 'One conversation, as in the list.',
    ...{ status: 200, answer: schemas.CONVERSATION },
    run: async (call) => json(await call.host.get(keyOf(call))),
  },
  {
    ...{ method: 'DELETE', path: '/conversations/:id', operation: 'deleteConversation', status: 204 },
    summary: 'Removes a conversation with its events and its transcript.',
    refusals: ['conflict', 'start_failed'],
    run: async (call) => {
      await call.host.remove(keyOf(call));
      return new Response(null, { status: 204 });
    },
  },
  {
    ...{ method: 'POST', path: '/conversations/:id/messages', operation: 'sendMessage' },
    summary: 'Sends a message and opens a turn. Its answer are the events after `eventId`.',
    ...{ body: schemas.MESSAGE, status: 202, answer: schemas.ACCEPTED },
    headers: { 'Idempotency-Key': IDEMPOTENCY_KEY },
    refusals: ['conflict', 'busy', 'draining', 'start_failed', 'limit_reached'],
    run: async (call) => {
      const { text } = call.body as { text: string };
      const send = async () => json(await call.host.send({ ...keyOf(call), text }), { status: 202 });
      return await call.repeats.answer(call.request, call.tenant, call.body, send);
    },
  },
  {
    ...{ method: 'GET', path: '/conversations/:id/events', operation: 'streamEvents' },
    summary:
      'What happens, as server-sent events: `id` counts from 1, `data` is JSON. `Last-Event-ID` goes on after it.',
    query: EVENTS,
    ...{ status: 200, contentType: 'text/event-stream' },
    headers: { 'Last-Event-ID': LAST_EVENT_ID },
    refusals: ['busy'],
    run: async (call) => {
      const { request, url, host } = call;
      const last = request.headers.get('last-event-id');
      const after =
        last === null ? numberIn(url, 'after', EVENTS.after) : readNumber(last, 'Last-Event-ID', LAST_EVENT_ID);
      const isWhole = wordIn(url, 'deltas', EVENTS.deltas) === 'live';
      const open = async (signal: AbortSignal) => {
        const now = Date.now();
        const events = await host.events({ ...keyOf(call), after, signal });
        return isWhole ? wholeMessages(events, now) : events;
      };
      return await eventStream(open, request.signal, call.stream);
    },
  },
  {
    ...{ method: 'POST', path: '/conversations/:id/interrupt', operation: 'interruptTurn' },
    summary: 'Ends the turn that is open on this host.',
    ...{ status: 200, answer: schemas.INTERRUPTED },
    run: async (call) => json({ interrupted: await call.host.interrupt(keyOf(call)) }),
  },
  {
    ...{ method: 'POST', path: '/conversations/:id/tasks/:taskId/stop', operation: 'stopTask', status: 204 },
    summary: 'Ends one task that runs on after its turn, on this host. `interrupt` leaves tasks alone.',
    run: async (call) => {
      await call.host.stopTask({ ...keyOf(call), taskId: call.params.taskId ?? '' });
      return new Response(null, { status: 204 });
    },
  },
  {
    ...{ method: 'POST', path: '/conversations/:id/questions/:questionId', operation: 'answerQuestion' },
    summary: 'Answers a question that is open now.',
    ...{ body: schemas.ANSWER, status: 204 },
    refusals: ['conflict', 'forbidden'],
    run: async (call) => {
      const questionId = call.params.questionId ?? '';
      await call.host.answer({ ...keyOf(call), questionId, answer: call.body as Answer });
      return new Response(null, { status: 204 });
    },
  },
  {
    ...{ method: 'GET', path: '/conversations/:id/approvals', operation: 'listApprovals' },
    summary: 'The tool calls that wait for a decision, or waited, the oldest first.',
    ...{ status: 200, answer: schemas.APPROVALS },
    run: async (call) => json({ approvals: await call.host.approvals(keyOf(call)) }),
  },
  {
    ...{ method: 'POST', path: '/conversations/:id/approvals/:approvalId', operation: 'decideApproval' },
    summary: 'Decides about a call that waits, and opens a turn. What follows are the events after `eventId`.',
    ...{ body: schemas.DECISION, status: 202, answer: schemas.ACCEPTED },
    refusals: ['conflict', 'forbidden', 'expired', 'busy', 'draining', 'start_failed'],
    run: async (call) => {
      const approvalId = call.params.approvalId ?? '';
      const { token, ...decision } = call.body as Decision & { token: string };
      await call.assertMayDecide(approvalId);
      return json(await call.host.decide({ ...keyOf(call), approvalId, token, decision }), { status: 202 });
    },
  },
  {
    ...{ method: 'GET', path: '/conversations/:id/transcript', operation: 'readTranscript' },
    summary: 'What was said, oldest first.',
    query: TRANSCRIPT,
    ...{ status: 200, answer: schemas.TRANSCRIPT },
    refusals: ['start_failed'],
    run: async (call) => {
      const { host, url } = call;
      const limit = numberIn(url, 'limit', TRANSCRIPT.limit);
      const offset = numberIn(url, 'offset', TRANSCRIPT.offset);
      if (!url.searchParams.has('fromEnd')) {
        return json({ messages: await host.transcript({ ...keyOf(call), limit, offset }) });
      }
      if (url.searchParams.has('offset')) throw new Problem('invalid', 'Send `offset` or `fromEnd`, and not both.');
      const fromEnd = numberIn(url, 'fromEnd', TRANSCRIPT.fromEnd);
      const all = await host.transcript({ ...keyOf(call), limit: ALL });
      const end = Math.max(0, all.length - fromEnd);
      return json({ messages: all.slice(Math.max(0, end - limit), end) });
    },
  },
];

/** @returns the route and its parameters. @throws Problem `unknown_route`, `method_not_allowed`. */
export function findRoute(method: string, pathname: string): { route: Route; params: Record<string, string> } {
  const parts = pathname.split('/');
  const fitting = ROUTES.flatMap((route) => {
    const names = route.path.split('/');
    const fits = names.length === parts.length && names.every((name, i) => name.startsWith(':') || name === parts[i]);
    if (!fits) return [];
    const params = names.flatMap((name, i) => (name.startsWith(':') ? [[name.slice(1), parts[i] ?? '']] : []));
    return [{ route, params: Object.fromEntries(params) as Record<string, string> }];
  });
  const found = fitting.find(({ route }) => route.method === method);
  if (found !== undefined) return found;
  if (fitting.length === 0) throw new Problem('unknown_route', 'There is nothing at this path.');
  const allow = fitting.flatMap(({ route }) => (route.method === 'GET' ? ['GET', 'HEAD'] : [route.method])).join(', ');
  throw new Problem('method_not_allowed', `This path takes ${allow}.`, { allow });
}
