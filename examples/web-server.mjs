/** A web server: one request is one run, its text goes out as server-sent events, and each request is metered. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { query, summaryOf, textOf } from 'claudewire';

const server = createServer((request, response) => {
  answer(request, response).catch((error) => {
    console.error(error);
    response.destroy();
  });
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
  // Also when the reader leaves: the run stops, and costs no more. After the end it does nothing.
  response.on('close', () => abortController.abort());
  const run = query({
    prompt,
    options: { abortController, includePartialMessages: true, deadlineMs: 60_000, tools: [] },
  });
  const summary = summaryOf(run);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  try {
    for await (const text of textOf(run)) {
      if (!response.write(`data: ${JSON.stringify(text)}\n\n`)) {
        await once(response, 'drain', { signal });
      }
    }
  } catch {
    // Whatever it was: the summary says it.
  }
  const { outcome, usage, costUsd } = await summary;
  console.log(
    `metered ${outcome.kind}, ${usage.inputTokens} in, ${usage.outputTokens} out, $${costUsd}`,
  );
  response.end(`event: end\ndata: ${JSON.stringify(outcome.kind)}\n\n`);
}

server.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());

// A reader, so that the example shows something by itself.
const reply = await fetch(`http://127.0.0.1:${port}/?q=Hello`);
console.log(await reply.text());
server.close();
