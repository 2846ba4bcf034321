import { createHash } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { createHandler } from '../../src/http/handler.js';
import { PAGE_FILES } from '../../src/http/page.js';
import { cliFor, hostOn, NONE } from '../helpers/hosts.js';
import { MOUNTS, mountedServer } from '../helpers/mounts.js';

const POST = { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } };

async function mountedAs(name: string) {
  const handler = createHandler({ host: hostOn(cliFor(NONE)), page: true });
  const server = await mountedServer(MOUNTS[name]!(handler));
  onTestFinished(() => server.close());
  return server.url;
}

/** What a text refers to, such as `page/page.js` and `./dom.js`. */
const referencesIn = (text: string) =>
  [...text.matchAll(/(?:href="|src="|from '|new URL\(')([^"']+)["']/g)].map(([, reference = '']) => reference);

test.each(Object.keys(MOUNTS))('under a prefix by %s the page has all of its files', async (name) => {
  const url = await mountedAs(name);
  const seen = new Set<string>();
  const follow = async (address: string): Promise<void> => {
    if (seen.has(address)) return;
    seen.add(address);
    const response = await fetch(address);
    expect(response.status, address).toBe(200);
    for (const reference of referencesIn(await response.text())) await follow(new URL(reference, address).href);
  };
  await follow(`${url}/`);
  expect([...seen].map((address) => address.slice(url.length)).sort()).toEqual(
    ['/', ...PAGE_FILES.map((file) => `/page/${file}`)].sort(),
  );
});

test.each(Object.keys(MOUNTS))('under a prefix by %s a new conversation is where its `Location` says', async (name) => {
  const url = await mountedAs(name);
  const made = await fetch(`${url}/conversations`, POST);
  const { id } = (await made.json()) as { id: string };
  const location = new URL(made.headers.get('location') ?? '', made.url).href;
  expect(location).toBe(`${url}/conversations/${id}`);
  expect(await (await fetch(location)).json()).toMatchObject({ id });
});

test('the page names no path from the root, and its policy allows the one script that adds a slash', async () => {
  const handler = createHandler({ host: hostOn(cliFor(NONE)), page: true });
  const get = (path: string) => handler(new Request(`http://localhost${path}`), { remoteAddress: '127.0.0.1' });
  const page = await get('/');
  const html = await page.text();
  const scripts = [...html.matchAll(/<script>(.*?)<\/script>/g)].map(([, script = '']) => script);
  expect(scripts).toHaveLength(1);
  const hash = createHash('sha256')
    .update(scripts[0] ?? '')
    .digest('base64');
  expect(page.headers.get('content-security-policy')).toContain(`script-src 'self' 'sha256-${hash}';`);
  expect(referencesIn(html)).toEqual(['page/page.css', 'page/page.js']);
  const api = await (await get('/page/api.js')).text();
  expect(api).toContain('conversations/');
  expect(api).not.toMatch(/['"`]\//);
});
