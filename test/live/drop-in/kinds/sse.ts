/** A web application that passes a turn on as server-sent events. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { query, type SDKMessage } from '@anthropic-ai/claude-agent-sdk';
import { say } from './say.js';

function eventOf(message: SDKMessage): { event: string; data: unknown } | undefined {
  switch (message.type) {
    case 'stream_event': {
      const { event } = message;
      if (event.type !== 'content_block_delta' || event.delta.type !== 'text_delta') return undefined;
      return { event: 'delta', data: event.delta.text };
    }
    case 'assistant':
      return { event: 'message', data: message.message.content };
    case 'result':
      return { event: 'done', data: message.subtype === 'success' ? message.result : message.errors };
    default:
      return undefined;
  }
}

const server = createServer(async (request, response) => {
  const abortController = new AbortController();
  request.on('close', () => abortController.abort());
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
  for await (const message of query({ prompt: 'Hello.', options: { abortController, includePartialMessages: true } })) {
    const event = eventOf(message);
    if (event !== undefined) response.write(`event: ${event.event}\ndata: ${JSON.stringify(event.data)}\n\n`);
  }
  response.end();
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as AddressInfo;
const text = await (await fetch(`http://127.0.0.1:${port}/`)).text();
for (const event of text.split('\n\n').filter((each) => each !== '')) say('event', event.split('\n'));
server.close();
