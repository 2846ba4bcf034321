import { basename, resolve } from 'node:path';
import { ViewError } from '../errors.js';
import { whyOf } from './files.js';
import { followFile } from './follow-file.js';
import { serveLive } from './live-server.js';
import { LiveView } from './live-view.js';
import { openInBrowser } from './open-browser.js';
import type { ViewArguments, ViewHost } from './run-view.js';

/** Pages get no more of the time than this share: an update costs more the longer a session is. */
const PAUSE_PER_COST = 8;

/** Serves what grows until the signal is aborted. @throws ViewError it cannot be read. */
export async function followSource({ source, open }: ViewArguments, host: ViewHost): Promise<number> {
  const { stdin, stdout, stderr, env, signal, template } = host;
  const live = new LiveView(source === '-' ? 'stdin' : basename(resolve(source)), { env });
  const server = await serveLive({ page: () => live.page(template), updateFrom: (frame) => live.updateFrom(frame) });
  let notBefore = 0;
  const send = (isForced = false): void => {
    if (!isForced && performance.now() < notBefore) return;
    const began = performance.now();
    const update = live.takeUpdate();
    if (update !== undefined) server.send(update);
    notBefore = performance.now() + (performance.now() - began) * PAUSE_PER_COST;
  };
  const onLook = (quietMs: number): void => {
    live.release(quietMs);
    send();
  };
  try {
    stdout.write(`${server.url}\n`);
    stderr.write('The page follows the file. Ctrl-C ends it.\n');
    if (open && stdout.isTTY === true) openInBrowser(server.url, env);
    if (source === '-') await followStream(stdin, live, onLook, signal);
    else {
      await followFile(source, { onBytes: (chunk) => live.push(chunk), onNew: () => live.restart(), onLook }, signal);
    }
    if (!signal.aborted) {
      live.end();
      send(true);
      await aborted(signal);
    }
    return 0;
  } catch (cause) {
    throw new ViewError('source', `cannot follow ${source}: ${whyOf(cause)}`, { cause });
  } finally {
    await server.close();
  }
}

/** Reads until the stream ends or the signal is aborted. */
async function followStream(
  stream: AsyncIterable<unknown> & { destroy(): unknown },
  live: LiveView,
  onLook: (quietMs: number) => void,
  signal: AbortSignal,
): Promise<void> {
  let cameAt = performance.now();
  const timer = setInterval(() => onLook(performance.now() - cameAt), 150);
  const stop = (): void => void stream.destroy();
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const chunk of stream) {
      // Standard input gives bytes while it has no encoding.
      live.push(Buffer.from(chunk as Uint8Array));
      cameAt = performance.now();
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    clearInterval(timer);
    signal.removeEventListener('abort', stop);
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
