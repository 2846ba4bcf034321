import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import * as testing from '../../src/testing/index.js';
import { callablesOf, foreignErrors } from '../helpers/hostile.js';

const callables = callablesOf({ testing });

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'claudewire-hostile-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
beforeEach(() => {
  vi.stubEnv('CLAUDE_CONFIG_DIR', join(folder, 'config'));
  vi.stubEnv('CLAUDE_CODE_EXECUTABLE', join(folder, 'missing'));
  // What some of the calls make, and nobody closes.
  vi.stubEnv('TMPDIR', folder);
});
afterEach(() => vi.unstubAllEnvs());

describe('every throw is ours, whatever an export is called with (C-14)', () => {
  test.each(callables)('%s', async (_, call) => {
    expect(await foreignErrors(call)).toEqual([]);
  });
});
