import { InMemorySessionStore } from 'claudewire';
import { describe, expect, test } from 'vitest';
import { InMemoryApprovalStore } from '../../src/approvals/memory-approval-store.js';
import { createSessionHost } from '../../src/host/session-host.js';
import { createHandler } from '../../src/http/handler.js';
import { serve } from '../../src/http/serve.js';
import { InMemoryConversationStore } from '../../src/stores/memory-conversation-store.js';
import { cliFor, hostOn, NONE } from '../helpers/hosts.js';

/** As a program without types has it. */
type Loose = (options?: unknown) => unknown;

const GOOD = {
  store: new InMemoryConversationStore(),
  sessionStore: new InMemorySessionStore(),
  optionsFor: () => ({ env: { CLAUDE_CONFIG_DIR: '/nowhere' } }),
};
const APPROVALS = {
  store: new InMemoryApprovalStore(),
  keys: [{ id: 'k', secret: new Uint8Array(32) }],
  needsApproval: () => true,
};
const hostWith = (changes: object) => () => (createSessionHost as Loose)({ ...GOOD, ...changes });
const approvalsWith = (changes: object) => hostWith({ approvals: { ...APPROVALS, ...changes } });
const handlerWith = (changes: object) => () => (createHandler as Loose)({ host: hostOn(cliFor(NONE)), ...changes });
const serveWith = (changes: object) => () => (serve as Loose)({ handler: () => {}, port: 0, ...changes });

describe('an option that cannot be used is named, with what came and what to give', () => {
  test.each<[string, () => unknown, RegExp]>([
    ['no options', createSessionHost as Loose, /createSessionHost\(\) takes an object with its options, got undefined/],
    ['no store', hostWith({ store: undefined }), /`store` must be a ConversationStore, such as .*, got undefined/],
    [
      'another store',
      hostWith({ store: GOOD.sessionStore }),
      /`store` must .* got an object without create\(\), get\(\)/,
    ],
    [
      'no session store',
      hostWith({ sessionStore: null }),
      /`sessionStore` must be a SessionStore, such as .*, got null/,
    ],
    ['a log that is none', hostWith({ eventLog: {} }), /`eventLog` must be an EventLog.* without append\(\)/],
    [
      'no options of tenants',
      hostWith({ optionsFor: undefined }),
      /`optionsFor` must be a function that returns .*, got/,
    ],
    ['a misspelt limit', hostWith({ limits: { proceses: 1 } }), /no `limits\.proceses`. There are: processes, /],
    [
      'a bad limit',
      hostWith({ limits: { queueMs: '9' } }),
      /`limits\.queueMs` must be an integer from 0 to .*, got string/,
    ],
    ['limits that are none', hostWith({ limits: 8 }), /`limits` must be an object, got 8/],
    ['a misspelt option', hostWith({ approval: APPROVALS }), /There is no `approval`. There are: store, /],
    ['no approval store', approvalsWith({ store: undefined }), /`approvals\.store` must be an ApprovalStore/],
    ['no keys', approvalsWith({ keys: undefined }), /`approvals\.keys` must be an array of `{ id, secret }`, got/],
    ['a key that is none', approvalsWith({ keys: [null] }), /`approvals\.keys` must .*, got an array/],
    ['no rule', approvalsWith({ needsApproval: undefined }), /`approvals\.needsApproval` must be a function/],
    ['no options of a handler', createHandler as Loose, /createHandler\(\) takes an object with its options/],
    [
      'no host',
      () => (createHandler as Loose)({}),
      /`host` must be what `createSessionHost\(\)` returns, got undefined/,
    ],
    [
      'names that are one',
      handlerWith({ allowedHosts: 'a.example' }),
      /`allowedHosts` must be an array of strings, got/,
    ],
    ['a misspelt guard', handlerWith({ authenticated: () => 'ada' }), /There is no `authenticated`/],
  ])('%s', (_, make, message) => {
    expect(make).toThrow(expect.objectContaining({ code: 'invalid', message: expect.stringMatching(message) }));
  });

  test.each<[string, () => unknown, RegExp]>([
    ['no options', serve as Loose, /serve\(\) takes an object with its options/],
    [
      'no handler',
      serveWith({ handler: undefined }),
      /`handler` must be what `createHandler\(\)` returns, got undefined/,
    ],
    ['a port as text', serveWith({ port: '8080' }), /`port` must be an integer from 0 to 65535, got string/],
  ])('of serve(): %s', async (_, make, message) => {
    const refused = { code: 'invalid', message: expect.stringMatching(message) };
    await expect(make()).rejects.toMatchObject(refused);
  });
});

describe('an argument of a method that cannot be used is named (a loose program)', () => {
  const key = { tenant: 'a', id: '00000000-0000-4000-8000-000000000000' };
  test.each<[string, object, RegExp]>([
    ['create', { tenant: 'a', title: 5 }, /`title` must be a string, got 5/],
    ['list', { tenant: 'a', limit: -1 }, /`limit` must be an integer from 1 to .*, got -1/],
    ['list', { tenant: 'a', limit: Number.NaN }, /`limit` must be .*, got NaN/],
    ['transcript', { ...key, offset: -1 }, /`offset` must be an integer from 0/],
    ['events', { ...key, after: '3' }, /`after` must be an integer from 0 .*, got string/],
    ['decide', { ...key, approvalId: 'x', token: 'y' }, /`decision` must be .*, got undefined/],
    ['decide', { ...key, approvalId: 'x', decision: { behavior: 'deny' } }, /`token` must be a string, got undefined/],
    ['drain', { graceMs: 'soon' }, /`graceMs` must be an integer from 0/],
  ])('%s(%o)', async (method, given, message) => {
    const host = hostOn(cliFor(NONE));
    const call = (Reflect.get(host, method) as Loose).call(host, given) as Promise<unknown>;
    await expect(call).rejects.toMatchObject({
      name: 'HostError',
      code: 'invalid',
      message: expect.stringMatching(message),
    });
  });
});
