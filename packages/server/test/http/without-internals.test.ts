import { expect, test } from 'vitest';
import type { ConversationEvent } from '../../src/events/conversation-event.js';
import { createHandler, type HandlerOptions } from '../../src/http/handler.js';
import { withoutInternals } from '../../src/http/without-internals.js';
import { ask, cliFor, hostOn, newKey } from '../helpers/hosts.js';

const INIT = {
  ...{ cwd: '/srv/tenants/ada', memory_paths: { auto: '/srv/ada/memory' }, messaging_socket_path: '/run/x.sock' },
  ...{
    mcp_servers: [{ name: 'billing-internal', status: 'connected' }],
    tools: ['Bash', 'mcp__billing-internal__pay'],
  },
  ...{ model: 'claude-x', plugins: [{ name: 'p', path: '/srv/plugins/p' }], added_by_a_newer_release: '/srv/new' },
};

/** The text of a stream. */
async function streamOf(options: Omit<HandlerOptions, 'host'>): Promise<string> {
  const cli = cliFor(({ prompt, init, systemMessage, assistantText, result }) => [
    ...[prompt('1'), init(INIT as never)],
    systemMessage('task_notification', { task_id: 'b1', status: 'completed', output_file: '/srv/x', summary: 'Built' }),
    ...[assistantText('It is in /srv/tenants/ada/out.'), result('Done.')],
  ]);
  const host = hostOn(cli);
  const key = await newKey(host, 'local');
  await ask(host, key, '1');
  const handler = createHandler({ host, ...options });
  const request = new Request(`http://localhost/conversations/${key.id}/events`);
  const response = await handler(request, { remoteAddress: '127.0.0.1' });
  const text = response.text();
  await host.drain();
  return await text;
}

// V-13
test('viewers are not told of paths, servers and sockets of the host, and are told what the model said', async () => {
  const text = await streamOf({});
  for (const inner of ['billing', 'memory', '.sock', 'plugins', '/srv/new', '/srv/x'])
    expect(text).not.toContain(inner);
  expect(text.match(/\/srv\/[\w/]*/g)).toEqual(['/srv/tenants/ada/out']);
  expect(text).toContain('"model":"claude-x"');
  expect(text).toContain('"summary":"Built"');
});

test('`show` decides otherwise, for each tenant, and what it hides keeps its id', async () => {
  const tenants = new Set<string>();
  const text = await streamOf({
    show: (event, tenant) => {
      tenants.add(tenant);
      return event.type === 'message' ? undefined : event;
    },
  });
  expect([...tenants]).toEqual(['local']);
  expect([...text.matchAll(/^event: (.*)$/gm)].map(([, type]) => type)).toEqual(['user_message', 'turn_ended']);
  expect([...text.matchAll(/^id: (.*)$/gm)].map(([, id]) => Number(id))).toEqual([1, 2, 3, 4, 5, 6]);
  expect(await streamOf({ show: (event) => event })).toContain('billing-internal');
});

test.each<ConversationEvent>([
  { type: 'user_message', text: 'cwd' },
  { type: 'turn_ended', outcome: 'completed' },
])('an event without internals is passed on as it is: %j', (event) => {
  expect(withoutInternals(event)).toBe(event);
});
