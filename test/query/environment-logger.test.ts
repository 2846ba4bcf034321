import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { environmentLogger } from '../../src/query/logging.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

describe('CLAUDEWIRE_LOG', () => {
  test.each([
    { name: 'not set', env: {} },
    { name: 'empty', env: { CLAUDEWIRE_LOG: '' } },
    { name: 'silent', env: { CLAUDEWIRE_LOG: 'silent' } },
  ])('$name: there is no logger', ({ env }) => {
    expect(environmentLogger(env)).toBeUndefined();
  });

  test('an unknown level is a warning that names the levels, and no logger', () => {
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
    onTestFinished(() => warn.mockRestore());
    expect(environmentLogger({ CLAUDEWIRE_LOG: 'verbose' })).toBeUndefined();
    expect(warn).toHaveBeenCalledWith(
      expect.stringContaining('must be one of trace, debug, info, warn, error, fatal, silent, got string "verbose"'),
      expect.objectContaining({ code: 'CLAUDEWIRE_LOG_LEVEL' }),
    );
  });
});

/** In a process of its own: the logger writes to the process's stderr, and there is one per process. */
describe('the logger that CLAUDEWIRE_LOG switches on', () => {
  let folder = '';

  beforeAll(async () => {
    // Inside the package, so that pino is found from there.
    folder = mkdtempSync(join(root, '.build/logger-'));
    await build({
      absWorkingDir: root,
      stdin: {
        contents: `
          import { environmentLogger } from './src/query/logging.ts';
          const logger = environmentLogger(process.env);
          logger.warn({ code: 'x', env: { KEY: 'hidden-1' }, server: { headers: 'hidden-2', token: 'hidden-3' } }, 'first');
          logger.debug({ code: 'y' }, 'second');
          if (environmentLogger(process.env) !== logger) throw new Error('two loggers');
        `,
        resolveDir: root,
        loader: 'ts',
      },
      outfile: join(folder, 'host.mjs'),
      bundle: true,
      format: 'esm',
      platform: 'node',
      external: ['pino'],
      logLevel: 'warning',
    });
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function run(level: string): Promise<{ lines: Record<string, unknown>[]; text: string }> {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [join(folder, 'host.mjs')], {
      env: { ...process.env, CLAUDEWIRE_LOG: level },
    });
    expect(stdout).toBe('');
    const lines = stderr.split('\n').filter((line) => line !== '');
    return { lines: lines.map((line) => JSON.parse(line)), text: stderr };
  }

  test('writes JSON lines to stderr, at its level and above, what was logged while it loaded included', async () => {
    const { lines } = await run('debug');
    expect(lines.map(({ name, msg, code }) => ({ name, msg, code }))).toEqual([
      { name: 'claudewire', msg: 'first', code: 'x' },
      { name: 'claudewire', msg: 'second', code: 'y' },
    ]);
    expect((await run('warn')).lines.map(({ msg }) => msg)).toEqual(['first']);
  });

  test('takes secrets out', async () => {
    const { text } = await run('debug');
    expect(text).not.toMatch(/hidden-\d/);
  });
});
