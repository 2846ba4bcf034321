import { expect, test } from 'vitest';
import { NetworkPolicy } from '../../../src/adapter/isolation/network-policy.js';
import type { JsonObject } from '../../../src/util/json.js';
import { makeRun } from '../hooks/make-run.js';

/** The reason of the denial; `undefined` when the hook has no objection. */
async function denial(networkPolicy: NetworkPolicy, toolName: string, toolInput: JsonObject): Promise<unknown> {
  const run = makeRun({ isolation: { allowUnsandboxedCommands: false, networkPolicy } });
  const answer = await run.pre(toolName, toolInput);
  const { hookSpecificOutput: output } = answer;
  if (output === undefined) {
    expect(answer).toEqual({});
    return undefined;
  }
  expect(output).toMatchObject({ hookEventName: 'PreToolUse', permissionDecision: 'deny' });
  return 'permissionDecisionReason' in output ? output.permissionDecisionReason : undefined;
}

test('WebFetch reaches listed hosts at listed ports, in any case, and what lies below a wildcard (AD-228)', async () => {
  const policy = new NetworkPolicy({ allowedDomains: ['d', '*.e'], allowedPorts: [443] });
  const reasons = new Map<string, unknown>();
  for (const url of [
    'https://d',
    'https://D',
    'http://d',
    'https://d:8443',
    'https://x.e',
    'https://e',
    'https://other',
  ]) {
    reasons.set(url, await denial(policy, 'WebFetch', { url, prompt: 'x' }));
  }
  expect(Object.fromEntries(reasons)).toEqual({
    'https://d': undefined,
    'https://D': undefined,
    'http://d': 'The network policy does not list port 80',
    'https://d:8443': 'The network policy does not list port 8443',
    'https://x.e': undefined,
    'https://e': 'The network policy does not list the host e',
    'https://other': 'The network policy does not list the host other',
  });
});

test('WebSearch is denied without a network and allowed without a limit (AD-230)', async () => {
  const input = { query: 'weather' };
  expect(await denial(NetworkPolicy.noNetwork(), 'WebSearch', input)).toMatch(/WebSearch/);
  expect(await denial(NetworkPolicy.withDomains('*'), 'WebSearch', input)).toBeUndefined();
});

test('WebFetch without a URL, or with one that cannot be read, is denied (AD-231)', async () => {
  const policy = NetworkPolicy.withDomains('d');
  for (const input of [{}, { url: '' }, { url: 'no url' }, { url: 'http://' }, { url: 7 }, { url: null }]) {
    expect(await denial(policy, 'WebFetch', input), JSON.stringify(input)).toMatch(/WebFetch needs a whole URL/);
  }
});
