import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CLIConnectionError } from '../../src/errors.js';
import { toLaunchError } from '../../src/transport/launch-error.js';
import { PEER } from './support.js';

const RUNS = 40;

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'claudewire-test-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

interface Ended {
  readonly name: string;
  readonly errorClass: string;
  readonly code: string;
  readonly hint: string;
}

/** A host that may open 60 files starts 40 children at once; what it says about the end of each, and of itself. */
function runCrowdedHost(): readonly (Ended | 'ran')[] {
  const source = fileURLToPath(new URL('../../src/transport/', import.meta.url));
  const host = join(directory, 'host.mjs');
  buildSync({
    stdin: {
      contents: `
        import { createSubprocessTransport } from '${source}subprocess.ts';
        const ends = [];
        for (let n = 0; n < ${RUNS}; n += 1) {
          const transport = createSubprocessTransport({
            file: process.execPath,
            args: [${JSON.stringify(PEER)}, 'exits-on-eof'],
            env: {}, maxBufferBytes: 1000, exitGraceMs: 1000,
          });
          transport.open({
            onFrame: () => {},
            onDiagnostic: () => {},
            onEnd: ({ error }) => {
              ends.push(error === undefined ? 'ran' : error.toJSON());
              if (ends.length === ${RUNS}) process.stdout.write(JSON.stringify(ends));
            },
          });
          transport.endInput();
        }`,
      resolveDir: source,
      loader: 'ts',
    },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: host,
    logLevel: 'silent',
  });
  const command = 'ulimit -n 60 && exec "$0" "$@"';
  const text = execFileSync('/bin/sh', ['-c', command, process.execPath, host], { encoding: 'utf8', stdio: 'pipe' });
  return JSON.parse(text) as (Ended | 'ran')[];
}

describe('a host without free descriptors', () => {
  // `ulimit` is a shell's: not on Windows.
  test.skipIf(process.platform === 'win32')(
    'EMFILE at a start ends that run with a typed error, and never the host (skipped on Windows)',
    () => {
      const ends = runCrowdedHost();
      expect(ends).toHaveLength(RUNS);
      const failed = ends.filter((end): end is Ended => end !== 'ran');
      expect(failed.length).toBeGreaterThan(0);
      expect(failed.length).toBeLessThan(RUNS);
      for (const end of failed) {
        expect(end).toMatchObject({
          name: 'CLIConnectionError',
          errorClass: 'executable_launch_failed',
          code: 'EMFILE',
          hint: expect.stringContaining('ulimit -n'),
        });
      }
    },
  );

  for (const [code, hint] of [
    ['EMFILE', 'ulimit -n'],
    ['ENFILE', 'fs.file-max'],
    ['EAGAIN', 'ulimit -u'],
  ] as const) {
    test(`${code} says what to try`, () => {
      const error = toLaunchError(Object.assign(new Error(`spawn ${code}`), { code }), { file: process.execPath });
      expect(error).toBeInstanceOf(CLIConnectionError);
      expect(error).toMatchObject({ code, errorClass: 'executable_launch_failed' });
      expect(error.hint).toContain(hint);
    });
  }
});
