import { errorText } from '../../util/error-text.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import { buildMessage, idCounter, toMessageBody } from './message.js';
import { describeRequest, estimateTokens, type LoggedRequest, type MessagesApiEvent } from './requests.js';
import { pause, type Reply, sendBody, sendError, streamMessage } from './respond.js';
import type { ScriptedTurn } from './turn.js';
import type { TurnQueue } from './turn-queue.js';

interface RouterOptions {
  readonly queue: TurnQueue;
  readonly emit: (event: MessagesApiEvent) => void;
  readonly countTokens: ((body: JsonObject) => number) | undefined;
}

/**
 * Makes the API's routes over one queue of turns.
 * @returns answers one logged request. Rejects only when the connection is gone.
 */
export function createRouter({
  queue,
  emit,
  countTokens = estimateTokens,
}: RouterOptions): (entry: LoggedRequest, reply: Reply) => Promise<void> {
  const nextMessageId = idCounter('msg');
  const nextToolId = idCounter('toolu');

  async function messages(entry: LoggedRequest, reply: Reply, body: JsonObject): Promise<void> {
    const request = describeRequest(entry.number, entry.headers, body);
    entry.kind = request.kind;
    const id = nextMessageId();
    const { turn, source } = await queue.take(request);
    const stream = body.stream === true;
    entry.source = source;
    entry.status = statusOf(turn);
    emit({
      event: 'api_request',
      number: entry.number,
      route: 'messages',
      kind: request.kind,
      source,
      model: request.model,
      stream,
      status: entry.status,
    });
    await pause(turn.delayMs ?? 0, reply.signal);
    if ('hang' in turn) return;
    if ('error' in turn) return sendError(reply, turn.error, turn.headers);
    if ('raw' in turn) {
      const contentType = { 'content-type': turn.contentType ?? 'application/json' };
      return sendBody(reply, turn.status ?? 200, turn.raw, { ...contentType, ...turn.headers });
    }
    const message = buildMessage(turn, { id, requestedModel: request.model, nextToolId });
    if (stream) await streamMessage(reply, message, turn);
    else sendBody(reply, 200, JSON.stringify(toMessageBody(message)), turn.headers);
  }

  async function dispatch(entry: LoggedRequest, reply: Reply): Promise<void> {
    const { number, method, path, body } = entry;
    if (method === 'HEAD') {
      entry.status = 200;
      emit({ event: 'api_request', number, route: 'probe', status: 200 });
      return sendBody(reply, 200, '');
    }
    const isPost = method === 'POST';
    if (isPost && (path === '/v1/messages' || path === '/v1/messages/count_tokens')) {
      if (!isJsonObject(body)) {
        entry.status = 400;
        return sendError(reply, { status: 400, message: 'The body is not a JSON object' });
      }
      if (path === '/v1/messages') return messages(entry, reply, body);
      const tokens = JSON.stringify({ input_tokens: countTokens(body) });
      entry.status = 200;
      emit({ event: 'api_request', number, route: 'count_tokens', status: 200 });
      return sendBody(reply, 200, tokens);
    }
    entry.status = 404;
    emit({ event: 'api_unknown_route', number, method, path });
    sendError(reply, { status: 404, message: `No such route: ${method} ${path}` });
  }

  return async (entry, reply) => {
    try {
      await dispatch(entry, reply);
    } catch (error) {
      if (reply.signal.aborted || reply.response.headersSent) throw error;
      const message = errorText(error);
      entry.status = 500;
      emit({ event: 'api_script_error', number: entry.number, message });
      sendError(reply, { status: 500, message: `The script failed: ${message}` });
    }
  };
}

function statusOf(turn: ScriptedTurn): number | null {
  if ('hang' in turn) return null;
  if ('error' in turn) return turn.error.status;
  return 'raw' in turn ? (turn.status ?? 200) : 200;
}
