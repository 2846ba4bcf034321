import { InMemorySessionStore } from 'claudewire';
import { describe, expect, test } from 'vitest';
import { FileApprovalStore } from '../../src/approvals/file-approval-store.js';
import { InMemoryApprovalStore } from '../../src/approvals/memory-approval-store.js';
import { FileWakeUpStore } from '../../src/background/file-wake-up-store.js';
import { FileEventLog } from '../../src/events/file-event-log.js';
import { InMemoryEventLog } from '../../src/events/memory-event-log.js';
import { createSessionHost } from '../../src/host/session-host.js';
import { createHandler } from '../../src/http/handler.js';
import { openApi } from '../../src/http/openapi.js';
import { serve } from '../../src/http/serve.js';
import { FileConversationStore } from '../../src/stores/file-conversation-store.js';
import { InMemoryConversationStore } from '../../src/stores/memory-conversation-store.js';
import {
  approvalStoreContract,
  conversationStoreContract,
  eventLogContract,
  wakeUpStoreContract,
} from '../../src/testing.js';
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
    ['names that are one', handlerWith({ allowedHosts: 'a.example' }), /`allowedHosts` must be an array, got string/],
    ...['https://a.b', 'a.b/', 'A.b', 'a.b:80', '*.b', '', 7].map((name): [string, () => unknown, RegExp] => [
      `a name that no browser sends (${name})`,
      handlerWith({ allowedHosts: ['localhost:8080', '[::1]:9', name] }),
      /`allowedHosts\[2\]` must be a name .* such as `app\.example`.*, got (?:string|7)/,
    ]),
    ...['a.b', 'a.b/', 'https://a.b/', 'https://A.b', 'http://a.b:80', '*', 'https://*.b', '', 7].map(
      (origin): [string, () => unknown, RegExp] => [
        `an origin that no browser sends (${origin})`,
        handlerWith({ allowedOrigins: ['https://a.b:8443', 'capacitor://localhost', 'null', origin] }),
        /`allowedOrigins\[3\]` must be an origin .* such as `https:\/\/app\.example`.*, got (?:string|7)/,
      ],
    ),
    [
      'a misspelt option of the description',
      () => (openApi as Loose)({ pages: true }),
      /no `pages`\. There are: servers/,
    ],
    [
      'a server that is a text',
      () => (openApi as Loose)({ servers: ['/'] }),
      /`servers\[0\]` must .* `url`, got string/,
    ],
    ['a description of true', () => (openApi as Loose)(true), /openApi\(\) takes an object with its options, got true/],
    ...[undefined, '', 7, {}].flatMap((directory) =>
      [FileConversationStore, FileApprovalStore, FileEventLog, FileWakeUpStore].map(
        (Store): [string, () => unknown, RegExp] => [
          `${Store.name} in ${JSON.stringify(directory)}`,
          () => new (Store as new (path?: unknown) => unknown)(directory),
          /new File\w+\(\) takes the path of its directory, such as `'data'`, got (?:undefined|an empty string|7|object)/,
        ],
      ),
    ),
    ...[conversationStoreContract, approvalStoreContract, eventLogContract, wakeUpStoreContract].map(
      (contract): [string, () => unknown, RegExp] => [
        `${contract.name}() of a store`,
        () => (contract as Loose)(new InMemoryConversationStore()),
        /Contract\(\) takes a function that makes the store to be tested, got object/,
      ],
    ),
    [
      'a misspelt size',
      () => new FileEventLog('x', { maxEvnts: 3 } as object),
      /no `maxEvnts`\. There are: segmentEvents/,
    ],
    ['a bad size', () => new FileEventLog('x', { segments: 0 }), /`segments` must be an integer from 1 to .*, got 0/],
    [
      'no options of a log',
      () => new FileEventLog('x', null as never),
      /new FileEventLog\(\) takes an object with its/,
    ],
    ['a misspelt bound', () => new InMemoryEventLog({ maxEvnts: 3 } as object), /no `maxEvnts`\. There are: maxEvents/],
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
    ['an interface without a name', serveWith({ host: '' }), /`host` must be a non-empty string, such as `127.0.0.1`/],
    ['a port as text', serveWith({ port: '8080' }), /`port` must be an integer from 0 to 65535, got string/],
  ])('of serve(): %s', async (_, make, message) => {
    const refused = { code: 'invalid', message: expect.stringMatching(message) };
    await expect(make()).rejects.toMatchObject(refused);
  });
});

describe('an argument of a method that cannot be used is named (a loose program)', () => {
  const key = { tenant: 'a', id: '00000000-0000-4000-8000-000000000000' };
  test.each<[string, object, RegExp]>([
    ['create', { tenant: 'a', title: 5 }, /`title` must be a string of 1 to 200 characters .*, got 5/],
    ...['', ' \n\u2028', 'x'.repeat(201)].map((title): [string, object, RegExp] => [
      ...([
        'create',
        { tenant: 'a', title },
        /`title` must be .* not blank; .* first line of the first message/,
      ] as const),
    ]),
    ['list', { tenant: 'a', limit: -1 }, /`limit` must be an integer from 1 to 500, got -1/],
    ['list', { tenant: 'a', limit: 501 }, /`limit` must be an integer from 1 to 500, got 501/],
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
