/** Asks the standalone server that `next build` made of the recipe in `docs/reference/bundlers.md`. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { execa } from 'execa';

/** The whole answer, which has to come in more than one piece. */
export function answerOf(folder, env, question) {
  return withServer(folder, env, question, wholeAnswer);
}

async function wholeAnswer(ask) {
  const response = await ask(AbortSignal.timeout(60_000));
  if (!response.ok) throw new Error(`status ${response.status}`);
  const pieces = [];
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) pieces.push(piece);
  if (pieces.length < 2) throw new Error(`came at once: ${pieces}`);
  return pieces.join('');
}

async function withServer(folder, env, question, action) {
  const variables = { ...env, PORT: await freePort(), HOSTNAME: '127.0.0.1' };
  const options = { cwd: folder, env: variables, stdin: 'ignore', all: true };
  const server = execa(process.execPath, ['server.js'], { ...options, reject: false });
  try {
    const address = await firstMatch(server, /http:\/\/127\.0\.0\.1:\d+/);
    const body = JSON.stringify({ prompt: question });
    return await action((signal) => fetch(`${address}/chat`, { method: 'POST', body, signal }));
  } catch (error) {
    server.kill();
    throw new Error(`${error.message}\n${(await server).all}`, { cause: error });
  } finally {
    server.kill();
    await server;
  }
}

function firstMatch(child, pattern) {
  return new Promise((resolve, reject) => {
    let said = '';
    child.all.on('data', (data) => {
      said += data;
      const [match] = pattern.exec(said) ?? [];
      if (match !== undefined) resolve(match);
    });
    child.all.on('end', () => reject(new Error('the server ended')));
  });
}

/** Next.js takes 3000 instead of 0. */
async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return String(port);
}
