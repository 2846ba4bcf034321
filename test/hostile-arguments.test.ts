import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import * as bridge from '../src/bridge.js';
import * as browser from '../src/browser.js';
import * as core from '../src/core.js';
import * as extract from '../src/extract.js';
import * as index from '../src/index.js';

const { isClaudeSDKError } = index;
const ID = '11111111-1111-4111-8111-111111111111';

/** What a caller's own getter throws is the caller's, and passes through as it is. */
class CallersOwn extends Error {}
const fail = (): never => {
  throw new CallersOwn('a getter of the caller');
};
const hostileProxy: unknown = new Proxy({}, { get: fail, has: fail, ownKeys: fail });
const cycle: Record<string, unknown> = {};
cycle['self'] = cycle;

const VALUES: readonly (readonly [name: string, value: unknown])[] = [
  ['undefined', undefined],
  ['null', null],
  ['a number', 5],
  ['NaN', Number.NaN],
  ['a bigint', 5n],
  ['a text', 'x'],
  ['an empty text', ''],
  ['a text with NUL', 'a\0b'],
  ['true', true],
  ['a symbol', Symbol('s')],
  ['a function', () => {}],
  ['an object', {}],
  ['an object without a prototype', Object.create(null)],
  ['a list', []],
  ['a list of null', [null]],
  ['a cycle', cycle],
  ['an object nested 20,000 deep', JSON.parse(`${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`)],
  ['a proxy that throws', hostileProxy],
];

/** Errors are made by whoever throws them, not by an argument of a stranger. */
const isError = (value: unknown): boolean =>
  typeof value === 'function' && value.prototype instanceof Error;

type Callable = (...args: unknown[]) => unknown;
const callables: (readonly [name: string, call: Callable])[] = [];
for (const [entry, exports] of Object.entries({ index, core, browser, bridge, extract })) {
  for (const [name, value] of Object.entries(exports)) {
    if (typeof value !== 'function' || isError(value)) continue;
    const known = callables.some(([, call]) => call === value);
    const isClass = Function.prototype.toString.call(value).startsWith('class');
    const call = isClass ? (...args: unknown[]) => Reflect.construct(value, args) : value;
    if (!known) callables.push([`${entry}.${name}`, call as Callable]);
  }
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'claudewire-hostile-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => {
  vi.stubEnv('CLAUDE_CONFIG_DIR', join(folder, 'config'));
  vi.stubEnv('CLAUDE_CODE_EXECUTABLE', join(folder, 'missing'));
});
afterEach(() => vi.unstubAllEnvs());

/** The error that is neither ours nor the caller's own. */
async function foreignError(call: () => unknown): Promise<unknown> {
  try {
    const value = call();
    // A query, or another iterator: it is closed, and its end is looked at.
    const { return: close } = Object(value) as { readonly return?: unknown };
    await (typeof close === 'function' ? close.call(value) : value);
    return undefined;
  } catch (error) {
    return isClaudeSDKError(error) || error instanceof CallersOwn ? undefined : error;
  }
}

describe('every throw is ours, whatever an export is called with (C-14)', () => {
  test('there are exports to call', () => {
    expect(callables.length).toBeGreaterThan(60);
  });

  test.each(callables)('%s', async (_, call) => {
    const foreign: unknown[] = [];
    for (const [name, value] of VALUES) {
      for (const args of [[value], [ID, value], [{}, value], [value, value, value]]) {
        const error = await foreignError(() => call(...args));
        if (error !== undefined) foreign.push([args.length, name, error]);
      }
    }
    expect(foreign).toEqual([]);
    const none = await foreignError(() => call());
    expect(none).toBeUndefined();
  });

  test.each(VALUES)('query() with options that are each %s', async (_, value) => {
    const names = ['cwd', 'env', 'model', 'hooks', 'mcpServers', 'agents', 'settings', 'tools'];
    names.push('sandbox', 'systemPrompt', 'outputFormat', 'extraArgs', 'sessionStore', 'logger');
    names.push('abortController', 'transport', 'resume', 'plugins', 'additionalDirectories');
    const foreign: unknown[] = [];
    for (const name of names) {
      const error = await foreignError(() => {
        const run = index.query({ prompt: 'x', options: { [name]: value } as index.Options });
        return run.initializationResult().finally(() => run.close());
      });
      if (error !== undefined) foreign.push([name, error]);
    }
    expect(foreign).toEqual([]);
  });
});
