/** A web server: one request is one run, its text is streamed as server-sent events, and each request is metered. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { query, summaryOf, textOf } from 'claudewire';

/**
 * The status of a run that ended before its first text. Others are 500.
 *
 * @type {Partial<Record<import('claudewire').Outcome['kind'], number>>}
 */
const STATUS = { completed: 200, rate_limited: 429, overloaded: 503, auth: 502 };

const server = createServer(async (request, response) => {
  try {
    await answer(request, response);
  } catch (error) {
    // Such as the InvalidOptionError that query() throws. How a run failed is in its summary.
    console.error(error);
    if (response.headersSent) response.destroy();
    else response.writeHead(500).end();
  }
});

/**
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 */
async function answer(request, response) {
  const prompt =
    new URL(request.url ?? '/', 'http://localhost').searchParams.get('q') ?? 'Say hello.';
  const abortController = new AbortController();
  const { signal } = abortController;
  // If the reader leaves, the run stops and costs no more. After the end this does nothing.
  response.on('close', () => abortController.abort());
  const run = query({
    prompt,
    options: { abortController, includePartialMessages: true, deadlineMs: 60_000, tools: [] },
  });
  const summary = summaryOf(run);
  try {
    for await (const text of textOf(run)) {
      if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' });
      if (!response.write(`data: ${JSON.stringify(text)}\n\n`)) {
        await once(response, 'drain', { signal });
      }
    }
  } catch {
    // The summary says what happened.
  }
  const { outcome, usage, costUsd } = await summary;
  const { inputTokens = 0, outputTokens = 0 } = usage;
  console.log(`metered ${outcome.kind}, ${inputTokens} in, ${outputTokens} out, $${costUsd}`);
  if (!response.headersSent) {
    if (outcome.retryAfterMs !== undefined) {
      response.setHeader('retry-after', Math.ceil(outcome.retryAfterMs / 1000));
    }
    response.writeHead(STATUS[outcome.kind] ?? 500, { 'content-type': 'text/event-stream' });
  }
  response.end(`event: end\ndata: ${JSON.stringify(outcome.kind)}\n\n`);
}

server.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());

// A reader, so that the example shows something by itself.
const reply = await fetch(`http://127.0.0.1:${port}/?q=Hello`);
console.log(reply.status, await reply.text());
server.close();
