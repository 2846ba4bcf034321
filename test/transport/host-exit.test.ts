import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { onHostExit } from '../../src/util/host-exit.js';
import { isAlive, PEER } from './support.js';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'claudewire-test-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** A host process that starts two children and private files, and then leaves in its own way. */
function runHost(
  leave: string,
  { inWorker = false, fixture = 'marks-sigterm', ownProcessGroup = false } = {},
): { readonly marks: readonly string[]; readonly file: string } {
  const marks = ['a', 'b'].map((name) => join(directory, `${name}-${Math.random()}`));
  const source = fileURLToPath(new URL('../../src/transport/', import.meta.url));
  const host = join(directory, 'host.cjs');
  buildSync({
    stdin: {
      contents: `
        import { writeSync } from 'node:fs';
        import { parentPort } from 'node:worker_threads';
        import { createSubprocessTransport } from '${source}subprocess.ts';
        import { writePrivateFiles } from '${source}private-files.ts';
        const marks = ${JSON.stringify(marks)};
        const files = writePrivateFiles([{ name: 'a.json', content: '{}' }]);
        let ready = 0;
        for (const mark of marks) {
          createSubprocessTransport({
            file: process.execPath,
            args: [${JSON.stringify(PEER)}, '${fixture}', mark],
            env: {}, maxBufferBytes: 1000, exitGraceMs: 1000, ownProcessGroup: ${ownProcessGroup},
          }).open({
            onFrame: () => {
              ready += 1;
              if (ready < marks.length) return;
              writeSync(1, files.paths[0]);
              ${leave};
            },
            onDiagnostic: () => {},
            onEnd: () => {},
          });
        }`,
      resolveDir: source,
      loader: 'ts',
    },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    outfile: host,
    logLevel: 'silent',
  });
  const main = join(directory, 'main.cjs');
  writeFileSync(
    main,
    `const { Worker } = require('node:worker_threads');
     const worker = new Worker(${JSON.stringify(host)});
     worker.on('message', () => worker.terminate());`,
  );
  try {
    const file = execFileSync(process.execPath, [inWorker ? main : host], { encoding: 'utf8', stdio: 'pipe' });
    return { marks, file };
  } catch (error) {
    return { marks, file: String((error as { readonly stdout?: unknown }).stdout) };
  }
}

describe('when the host exits', () => {
  const ways = [
    { name: 'process.exit()', leave: 'process.exit(0)' },
    { name: 'an uncaught error', leave: 'setImmediate(() => { throw new Error("oops") })' },
  ];
  for (const { name, leave } of ways) {
    test(`by ${name}, every live child gets SIGTERM and private files are gone (TS-163)`, async () => {
      const { marks, file } = runHost(leave);
      for (const mark of marks) {
        while (!existsSync(mark)) await new Promise(setImmediate);
      }
      expect(file).toMatch(/claudewire-.*a\.json$/);
      expect(existsSync(file)).toBe(false);
    });
  }
});

describe.skipIf(process.platform === 'win32')('when a signal ends the host', () => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGKILL']) {
    test(`${signal}: the input of every child ends, also in process groups of their own`, async () => {
      const { marks } = runHost(`process.kill(process.pid, '${signal}')`, {
        fixture: 'marks-end-of-input',
        ownProcessGroup: true,
      });
      for (const mark of marks) {
        while (!existsSync(mark)) await new Promise(setImmediate);
      }
    });
  }

  test('process.exit() ends process groups of their own: SIGTERM, and SIGKILL where that is ignored', async () => {
    const { marks } = runHost('process.exit(0)', { ownProcessGroup: true });
    for (const mark of marks) {
      while (!existsSync(mark)) await new Promise(setImmediate);
    }
    const stubborn = runHost('process.exit(0)', { ownProcessGroup: true, fixture: 'marks-pid-and-stays' });
    for (const mark of stubborn.marks) {
      const pid = Number(readFileSync(mark, 'utf8'));
      await expect.poll(() => isAlive(pid)).toBe(false);
    }
  });
});

describe('when a worker thread of the host ends', () => {
  test('by process.exit(), every live child gets SIGTERM and private files are gone (C-9)', async () => {
    const { marks, file } = runHost('process.exit(0)', { inWorker: true });
    for (const mark of marks) {
      while (!existsSync(mark)) await new Promise(setImmediate);
    }
    expect(file).toMatch(/claudewire-.*a\.json$/);
    expect(existsSync(file)).toBe(false);
  });

  test('by terminate(), the input of every child ends (C-9)', async () => {
    const { marks } = runHost('parentPort.postMessage(0)', { inWorker: true, fixture: 'marks-end-of-input' });
    for (const mark of marks) {
      while (!existsSync(mark)) await new Promise(setImmediate);
    }
  });
});

describe('onHostExit', () => {
  test('all actions share one listener, which is gone with the last of them (TS-164)', () => {
    const before = process.listenerCount('exit');
    const takeBack = Array.from({ length: 20 }, () => onHostExit(() => {}));
    expect(process.listenerCount('exit')).toBe(before + 1);
    for (const each of takeBack) {
      each();
      each();
    }
    expect(process.listenerCount('exit')).toBe(before);
  });

  test('second steps come after every action', () => {
    const listeners = new Set(process.listeners('exit'));
    const calls: string[] = [];
    const takeBack = ['a', 'b'].map((name) =>
      onHostExit(
        () => calls.push(name),
        () => calls.push(`${name} again`),
      ),
    );
    const [ours] = process.listeners('exit').filter((listener) => !listeners.has(listener));
    ours?.(0);
    expect(calls).toEqual(['a', 'b', 'a again', 'b again']);
    for (const each of takeBack) each();
  });

  test('an action that throws does not keep the others from running', () => {
    const listeners = new Set(process.listeners('exit'));
    let calls = 0;
    const takeBack = [
      onHostExit(() => {
        throw new Error('first');
      }),
      onHostExit(() => {
        calls += 1;
      }),
    ];
    const [ours] = process.listeners('exit').filter((listener) => !listeners.has(listener));
    ours?.(0);
    expect(calls).toBe(1);
    for (const each of takeBack) each();
  });
});
