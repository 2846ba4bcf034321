import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { callablesOf, foreignErrors } from '../../../test/helpers/hostile.js';
import * as conformance from '../src/index.js';

const callables = callablesOf({ conformance });

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
  test.each(callables)('%s', async (_, call) => {
    expect(await foreignErrors(call)).toEqual([]);
  });
});
