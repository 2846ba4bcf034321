import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import * as bridge from '../src/bridge.js';
import * as browser from '../src/browser.js';
import * as core from '../src/core.js';
import * as extract from '../src/extract.js';
import * as index from '../src/index.js';
import { callablesOf, foreignError, foreignErrors, HOSTILE_VALUES } from './helpers/hostile.js';

const callables = callablesOf({ index, core, browser, bridge, extract });

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

describe('every throw is ours, whatever an export is called with (C-14)', () => {
  test('there are exports to call', () => {
    expect(callables.length).toBeGreaterThan(60);
  });

  test.each(callables)('%s', async (_, call) => {
    expect(await foreignErrors(call)).toEqual([]);
  });

  test.each(HOSTILE_VALUES)('query() with options that are each %s', async (_, value) => {
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
