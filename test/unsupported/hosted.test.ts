import { describe, expect, test } from 'vitest';
import * as bridge from '../../src/bridge.js';
import * as browser from '../../src/browser.js';
import * as door from '../../src/index.js';

const OUT_OF_SCOPE = /talks to sessions hosted by Anthropic/;
const query = {} as door.Query;

describe('names of sessions that Anthropic hosts', () => {
  const rejecting: [name: string, call: () => Promise<unknown>][] = [
    ['attachBridgeSession()', () => bridge.attachBridgeSession({ sessionId: 's', ingressToken: 't', apiBaseUrl: 'u' })],
    ['createCodeSession()', () => bridge.createCodeSession('u', 't', 'title', 1000)],
    ['fetchRemoteCredentials()', () => bridge.fetchRemoteCredentials('s', 'u', 't', 1000)],
  ];
  for (const [name, call] of rejecting) {
    test(`${name} rejects, and does not throw at the call`, async () => {
      const error = await call().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(door.NotSupportedError);
      expect(error).toMatchObject({
        errorClass: 'not_supported',
        feature: name,
        message: expect.stringMatching(OUT_OF_SCOPE),
        hint: expect.stringContaining('docs/migration.md'),
      });
    });
  }

  const throwing: [name: string, call: () => unknown][] = [
    ['query of browser', () => browser.query({ prompt: nothing(), websocket: { url: 'wss://x' } })],
    ['createSdkMcpServer of browser', () => browser.createSdkMcpServer({ name: 'x' })],
    ['z of browser', () => Reflect.get(browser.z, 'string')],
    ['FileIndex', () => new door.FileIndex()],
    ['CommandMatcher', () => new door.CommandMatcher()],
    ['DirectConnectTransport', () => new door.DirectConnectTransport()],
    ['parseDirectConnectUrl', () => door.parseDirectConnectUrl('cc://x')],
  ];
  for (const [name, call] of throwing) {
    test(`${name} throws the one error when it is used, not when it is imported`, () => {
      expect(call).toThrow(door.NotSupportedError);
    });
  }

  const guards: [value: unknown, failure: boolean, rejection: boolean][] = [
    [{ terminal: true, reason: 'request_rejected' }, true, false],
    [{ terminal: false, reason: 'oauth_rejected' }, false, true],
    [{ terminal: 'true' }, false, false],
    [{}, false, false],
    [null, false, false],
    ['cse_1', false, false],
  ];
  for (const [value, failure, rejection] of guards) {
    test(`the guards tell what ${JSON.stringify(value)} is`, () => {
      expect(bridge.isCreateSessionFailure(value as null)).toBe(failure);
      expect(bridge.isCredentialsFailure(value as null)).toBe(failure);
      expect(bridge.isCredentialsRejection(value)).toBe(rejection);
    });
  }

  test('what asks about a hosted query says that this is none', () => {
    expect(browser.getSseDropCounts(query)).toBeUndefined();
    expect(browser.getSseLastSequenceNum(query)).toBeUndefined();
    expect(browser.getCcrEvent(query, {} as door.SDKMessage)).toBeUndefined();
    expect([browser.suspendSseStream(query), browser.resumeSseStream(query)]).toEqual([false, false]);
    expect(browser.G4_TEXT_ENVELOPE_ARM_PORTED).toBe(false);
  });

  test('z can be looked at without an error', async () => {
    expect(String(typeof browser.z)).toBe('object');
    expect(JSON.stringify({ z: browser.z })).toBe('{"z":{}}');
    expect(await browser.z).toBe(browser.z);
  });

  test('an error is never a DirectConnectError', () => {
    expect(new Error('x') instanceof door.DirectConnectError).toBe(false);
    expect(new door.DirectConnectError('m', 'c')).toMatchObject({ message: 'm', code: 'c' });
  });
});

async function* nothing(): AsyncGenerator<never> {}
