import { afterEach } from 'vitest';
import {
  type MessagesApi,
  type MessagesApiOptions,
  startMessagesApi,
} from '../../../src/testing/messages-api/server.js';
import type { JsonObject } from '../../../src/util/json.js';

const running: MessagesApi[] = [];

/** Starts an API that is closed after the test. */
export async function startApi(options: Partial<MessagesApiOptions> = {}): Promise<MessagesApi> {
  const api = await startMessagesApi({ turns: [], ...options });
  running.push(api);
  return api;
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((api) => api.close()));
});

/** A model call of the conversation: it offers a tool. */
export const MAIN: JsonObject = {
  model: 'm-1',
  tools: [{ name: 'Bash' }],
  messages: [{ role: 'user', content: 'Hi' }],
};

export async function post(
  api: MessagesApi,
  body: unknown = MAIN,
  init: { path?: string; headers?: Record<string, string>; signal?: AbortSignal } = {},
): Promise<Response> {
  return fetch(`${api.url}${init.path ?? '/v1/messages?beta=true'}`, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
    headers: { 'content-type': 'application/json', ...init.headers },
    ...(init.signal === undefined ? {} : { signal: init.signal }),
  });
}

/** The decoded JSON body, whose fields the test itself checks. */
export async function json(response: Response): Promise<JsonObject> {
  return (await response.json()) as JsonObject;
}

export interface SseEvent {
  readonly event: string;
  readonly data: JsonObject;
}

/** Reads events until the stream ends, breaks, or `enough` says so. */
export async function readEvents(
  response: Response,
  enough: (events: readonly SseEvent[]) => boolean = () => false,
): Promise<{ readonly events: readonly SseEvent[]; readonly broken: boolean }> {
  const events: SseEvent[] = [];
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk as Uint8Array, { stream: true });
      const records = text.split('\n\n');
      text = records.pop() ?? '';
      events.push(...records.map(parseEvent));
      if (enough(events)) break;
    }
    return { events, broken: false };
  } catch {
    return { events, broken: true };
  }
}

function parseEvent(record: string): SseEvent {
  const [eventLine = '', dataLine = ''] = record.split('\n');
  const data = JSON.parse(dataLine.replace(/^data: /, '')) as JsonObject;
  return { event: eventLine.replace(/^event: /, ''), data };
}
