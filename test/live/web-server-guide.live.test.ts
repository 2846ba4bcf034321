import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { execa } from 'execa';
import { expect, onTestFinished, test } from 'vitest';
import { CURRENT } from './support/clis.js';
import { setStage } from './support/stage.js';
import { call } from './support/turns.js';

const root = fileURLToPath(new URL('../../', import.meta.url));
const guide = readFileSync(join(root, 'docs', 'web-server.md'), 'utf8');
const BASE = 'http://127.0.0.1:8080';

/** The program of the guide, as it is printed there, with this tree in the place of the packages. */
async function serviceOfGuide(): Promise<string> {
  const [, code = ''] = /`service\.mts`:\n\n```ts\n([\s\S]*?)^```$/m.exec(guide) ?? [];
  const folder = join(root, '.build', 'guide');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'service.mts'), code);
  const outfile = join(folder, 'dist', 'service.mjs');
  // It reads its page from beside its own folder.
  cpSync(join(root, 'packages/server/src/page'), join(folder, 'page'), { recursive: true });
  await build({
    ...{ entryPoints: [join(folder, 'service.mts')], outfile, bundle: true, packages: 'external' },
    ...{ platform: 'node', format: 'esm', target: 'node20' },
    alias: { claudewire: join(root, 'src/index.ts'), 'claudewire-server': join(root, 'packages/server/src/index.ts') },
  });
  return outfile;
}

/** As `curl` of the guide does. */
async function request<T>(path: string, body?: unknown): Promise<T> {
  const headers = { 'x-user': 'ada', ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
  const response = await fetch(`${BASE}${path}`, {
    ...{ headers, method: body === undefined ? 'GET' : 'POST' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  expect(response.ok, `${path}: ${response.status}`).toBe(true);
  return (await response.json()) as T;
}

interface Waiting {
  readonly approvals: readonly { readonly approvalId: string; readonly token?: string; readonly state: string }[];
}

test('the guide is a service with an approval of its own tool, and with background work', async () => {
  const BUILD = { command: 'sleep 1; touch built', description: 'Builds', run_in_background: true };
  const stage = await setStage(CURRENT, {
    turns: [call('mcp__shop__refund', { order: '7' }), 'Refunded.', call('Bash', BUILD), 'It runs.', 'It is built.'],
  });
  const { env = {} } = stage.options();
  const service = execa(process.execPath, [await serviceOfGuide()], {
    ...{ cwd: stage.folder, reject: false, extendEnv: false, all: true },
    env: {
      ...(env as Record<string, string>),
      // Claude Code is installed, and the user has a key.
      PATH: `${dirname(CURRENT.path)}:${process.env.PATH}`,
      APPROVAL_KEY: Buffer.alloc(32, 7).toString('base64url'),
    },
  });
  onTestFinished(async () => {
    service.kill('SIGKILL');
    await service;
  });
  let said = '';
  service.all?.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  await expect.poll(() => said, { timeout: 20_000 }).toContain(BASE);

  const { id } = await request<{ id: string }>('/conversations', {});
  const at = `/conversations/${id}`;
  const stream = await fetch(`${BASE}${at}/events`, { headers: { 'x-user': 'ada' } });
  let events = '';
  const reading = (async () => {
    for await (const chunk of stream.body ?? []) events += new TextDecoder().decode(chunk as Uint8Array);
  })();
  const count = (what: string) => events.split(what).length - 1;
  let waited = 0;
  /** Once the turn is over: before that nobody can decide. */
  const approve = async () => {
    waited += 1;
    await expect.poll(() => count('"outcome":"deferred"'), { timeout: 30_000 }).toBe(waited);
    const [approval] = await open();
    await request(`${at}/approvals/${approval?.approvalId}`, { token: approval?.token, behavior: 'allow' });
  };
  const open = async () =>
    (await request<Waiting>(`${at}/approvals`)).approvals.filter(({ state }) => state === 'open');

  await request(`${at}/messages`, { text: 'Refund order 7.' });
  await approve();
  await expect.poll(() => count('"outcome":"completed"'), { timeout: 30_000 }).toBe(1);
  expect(said.split('\n').filter((line) => line.includes('refunded'))).toEqual(['refunded 7']);
  expect(events).toContain('Refunded.');

  await request(`${at}/messages`, { text: 'Build.' });
  await approve();
  // That of the message, and that of the end of the command.
  await expect.poll(() => count('"outcome":"completed"'), { timeout: 30_000 }).toBe(3);
  expect(events).toContain('It is built.');
  expect(existsSync(join(stage.folder, 'data', 'tenants', 'ada', 'work', 'built'))).toBe(true);

  service.kill('SIGTERM');
  expect((await service).exitCode).toBe(0);
  // The stream has an end, and was not cut.
  await reading;
});
