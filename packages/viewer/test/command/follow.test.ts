import { appendFileSync, mkdirSync, renameSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { LiveUpdate } from '../../src/render/packed.js';
import { recordingOf } from '../helpers/recordings.js';
import { type Ran, run, tempFolder } from '../helpers/view-host.js';

const err = (text: string): string => `${JSON.stringify({ t: 1, dir: 'err', data: text })}\n`;

async function follow(source: string): Promise<Ran & { readonly url: string }> {
  const ran = await run({ source, follow: true });
  onTestFinished(async () => {
    ran.stop();
    await ran.code.catch(() => {});
  });
  await expect.poll(ran.out).toContain('\n');
  return { ...ran, url: ran.out().trim() };
}

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

function ask(
  url: string,
  options: { readonly headers?: Record<string, string>; readonly method?: string; readonly path?: string } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false, ...options }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, text }));
    }).on('error', reject);
  });
}

/** Updates as a page gets them. */
function listen(url: string): {
  readonly updates: LiveUpdate[];
  readonly texts: () => string[];
  readonly isOpen: () => boolean;
} {
  const updates: LiveUpdate[] = [];
  let [rest, isOpen] = ['', true];
  const request = get(`${url}events?from=0`, { agent: false }, (response) => {
    response.on('data', (chunk: Buffer) => {
      const parts = (rest + chunk.toString()).split('\n\n');
      rest = parts.pop() ?? '';
      for (const part of parts) if (part.startsWith('data: ')) updates.push(JSON.parse(part.slice(6)) as LiveUpdate);
    });
    response.on('close', () => {
      isOpen = false;
    });
    response.on('error', () => {});
  });
  request.on('error', () => {});
  onTestFinished(() => void request.destroy());
  const texts = (): string[] => {
    let shown: string[] = [];
    for (const { from, frames, isNew } of updates) shown = [...(isNew ? [] : shown.slice(0, from)), ...frames.title];
    return shown;
  };
  return { updates, texts, isOpen: () => isOpen };
}

test('the page needs its token, a host of this machine and GET, and allows nobody else to read it', async () => {
  const file = join(tempFolder(), 'live.jsonl');
  writeFileSync(file, recordingOf([]));
  const { url } = await follow(file);
  const { port, pathname } = new URL(url);
  expect(pathname).toMatch(/^\/[\w-]{32}\/$/);
  const page = await ask(url);
  expect(page.status).toBe(200);
  expect(page.text).toContain("connect-src 'self'");
  expect(page.headers).toMatchObject({ 'cache-control': 'no-store', 'cross-origin-resource-policy': 'same-origin' });
  expect(page.headers['access-control-allow-origin']).toBeUndefined();
  const wrong = `${pathname.slice(0, -2)}${pathname.at(-2) === 'a' ? 'b' : 'a'}/`;
  const status = async (...args: Parameters<typeof ask>): Promise<number | undefined> => (await ask(...args)).status;
  expect(await status(`http://127.0.0.1:${port}/`)).toBe(404);
  expect(await status(`http://127.0.0.1:${port}${wrong}`)).toBe(404);
  expect(await status(`http://127.0.0.1:${port}${wrong}events?from=0`)).toBe(404);
  expect(await status(url, { headers: { host: 'evil.example' } })).toBe(403);
  expect(await status(url, { headers: { host: `evil.example:${port}` } })).toBe(403);
  expect(await status(url, { headers: { host: `localhost:${port}` } })).toBe(200);
  expect(await status(url, { method: 'POST' })).toBe(405);
  // V-20
  for (const origin of ['https://evil.example', 'null', `https://127.0.0.1:${port}`, `http://localhost:${port}`]) {
    expect(await status(url, { headers: { origin } }), origin).toBe(403);
    expect(await status(`${url}events?from=0`, { headers: { origin } }), origin).toBe(403);
  }
  expect(await status(url, { headers: { origin: `http://127.0.0.1:${port}` } })).toBe(200);
  expect(await status(`${url}events?from=-1`)).toBe(400);
  expect(await status(`${url}events?from=x`)).toBe(400);
  expect(await status(`${url}other`)).toBe(404);
});

test('addresses that are none are refused, and the server goes on', async () => {
  const file = join(tempFolder(), 'live.jsonl');
  writeFileSync(file, recordingOf([]));
  const { url } = await follow(file);
  const { port } = new URL(url);
  for (const path of ['//', '//[', '//user:pass@[x]/', '/%zz/', '/?from=%']) {
    expect((await ask(`http://127.0.0.1:${port}/`, { path })).status, path).toBe(404);
  }
  expect((await ask(url)).status).toBe(200);
});

test('a file that grows: whole lines come, half a line waits for its end', async () => {
  const file = join(tempFolder(), 'live.jsonl');
  writeFileSync(file, recordingOf([]));
  const { url } = await follow(file);
  const { texts, updates } = listen(url);
  await expect.poll(texts).toEqual(['made: made by a test']);
  appendFileSync(file, err('one') + err('two').slice(0, 15));
  await expect.poll(texts).toEqual(['made: made by a test', 'one']);
  appendFileSync(file, err('two').slice(15));
  await expect.poll(texts).toEqual(['made: made by a test', 'one', 'two']);
  expect(updates.at(-1)?.bodies).toEqual(['"two"']);
});

test('of a folder the file is followed that was written last, and no link out of it', async () => {
  const [folder, elsewhere] = [tempFolder(), tempFolder()];
  const names = ['a.jsonl', 'b.jsonl', 'c.jsonl', 'notes.txt', 'report.json'];
  for (const [index, name] of names.entries()) {
    writeFileSync(join(folder, name), recordingOf([]) + err(name));
    utimesSync(join(folder, name), 1_000, name === 'b.jsonl' ? 2_000 : 1_000 + index);
  }
  utimesSync(join(folder, 'notes.txt'), 9_000, 9_000);
  mkdirSync(join(folder, 'sub.jsonl'));
  writeFileSync(join(elsewhere, 'other.jsonl'), recordingOf([]) + err('elsewhere'));
  symlinkSync(join(elsewhere, 'other.jsonl'), join(folder, 'z.jsonl'));
  const { url, err: said } = await follow(folder);
  const { texts } = listen(url);
  await expect.poll(texts).toEqual(['made: made by a test', 'b.jsonl']);
  expect(said()).toContain('The newest file of the folder is followed: b.jsonl\n');
  appendFileSync(join(folder, 'b.jsonl'), err('more'));
  await expect.poll(texts).toEqual(['made: made by a test', 'b.jsonl', 'more']);
});

test('a folder without a file of lines cannot be followed, and the error says what can', async () => {
  const folder = tempFolder();
  writeFileSync(join(folder, 'report.json'), '{}');
  await expect((await run({ source: folder, follow: true })).code).rejects.toThrow(
    /has no \.jsonl file to follow: name a file, or - for standard input$/,
  );
});

test('an answer that comes later changes the request that is shown', async () => {
  const file = join(tempFolder(), 'live.jsonl');
  const request = { type: 'control_request', request_id: 'a', request: { subtype: 'set_model' } };
  writeFileSync(file, recordingOf([[1, 'in', request]]));
  const { url } = await follow(file);
  const { updates, texts } = listen(url);
  await expect.poll(() => texts().length).toBe(2);
  expect(updates.at(-1)?.exchanges).toMatchObject([{ state: 'open' }]);
  expect(updates.at(-1)?.faults).toEqual([]);
  const response = { type: 'control_response', response: { subtype: 'success', request_id: 'a' } };
  appendFileSync(file, `${JSON.stringify({ t: 5, dir: 'out', data: response })}\n`);
  await expect.poll(() => updates.at(-1)?.exchanges[0]?.state).toBe('answered');
  expect(updates.at(-1)?.changed).toMatchObject([[1, { latencyMs: 4, peer: 2 }]]);
});

test('a file that is cut, and one that is replaced, begin anew', async () => {
  const folder = tempFolder();
  const file = join(folder, 'live.jsonl');
  writeFileSync(file, recordingOf([]) + err('before'));
  const { url } = await follow(file);
  const { texts } = listen(url);
  await expect.poll(texts).toEqual(['made: made by a test', 'before']);
  truncateSync(file, 0);
  await expect.poll(texts).toEqual([]);
  appendFileSync(file, recordingOf([]));
  await expect.poll(texts).toEqual(['made: made by a test']);
  writeFileSync(join(folder, 'next'), recordingOf([]) + err('another file'));
  renameSync(join(folder, 'next'), file);
  await expect.poll(texts).toEqual(['made: made by a test', 'another file']);
});

test('a secret that streams in pieces is not sent in pieces', async () => {
  const delta = (text: string): string => {
    const event = { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } };
    return `${JSON.stringify({ t: 1, dir: 'out', data: { type: 'stream_event', parent_tool_use_id: null, event } })}\n`;
  };
  const file = join(tempFolder(), 'live.jsonl');
  writeFileSync(file, recordingOf([]) + delta('The key is sk-ant-api'));
  const { url } = await follow(file);
  const { updates, texts } = listen(url);
  await expect.poll(texts).toEqual(['made: made by a test']);
  const stop = { type: 'stream_event', parent_tool_use_id: null, event: { type: 'content_block_stop', index: 0 } };
  appendFileSync(file, `${delta('03-abcdefghijklmnop')}${JSON.stringify({ t: 2, dir: 'out', data: stop })}\n`);
  await expect.poll(() => texts().length).toBe(4);
  expect(JSON.stringify(updates)).toContain('[scrubbed:anthropic-key]');
  expect(JSON.stringify(updates)).not.toMatch(/abcdefghijklmnop|sk-ant/);
});

test('standard input is followed to its end, and the page stays until Ctrl-C', async () => {
  const { url, stdin } = await follow('-');
  const { texts, updates } = listen(url);
  stdin.write(recordingOf([]) + err('one'));
  await expect.poll(texts).toEqual(['made: made by a test', 'one']);
  stdin.end(err('two'));
  await expect.poll(() => updates.at(-1)?.isOver).toBe(true);
  expect(texts()).toEqual(['made: made by a test', 'one', 'two']);
  expect((await ask(url)).status).toBe(200);
});

test('Ctrl-C ends the server and the pages, and nothing is left open', async () => {
  const file = join(tempFolder(), 'live.jsonl');
  writeFileSync(file, recordingOf([]));
  const { url, stop, code } = await follow(file);
  const { texts, isOpen } = listen(url);
  await expect.poll(() => texts().length).toBe(1);
  stop();
  expect(await code).toBe(0);
  await expect.poll(isOpen).toBe(false);
  await expect(ask(url)).rejects.toThrow('ECONNREFUSED');
});
