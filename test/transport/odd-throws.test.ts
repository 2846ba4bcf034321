import { PassThrough, Writable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import type { Diagnostic } from '../../src/diagnostics.js';
import { CLIConnectionError } from '../../src/errors.js';
import { FrameWriter } from '../../src/transport/frame-writer.js';
import { toLaunchError } from '../../src/transport/launch-error.js';
import { StderrTail } from '../../src/transport/process-transport.js';
import { adaptTransport, type TransportLike } from '../../src/transport/pull-adapter.js';
import { ODD_VALUES } from './odd-values.js';
import { closeStarted, createReceiver, startFixture } from './support.js';

afterEach(closeStarted);

/** A `stderr` callback at the end of a pipe. */
async function reportsOf(onText: (text: string) => void): Promise<readonly Diagnostic[]> {
  const diagnostics: Diagnostic[] = [];
  const stream = new PassThrough();
  const tail = new StderrTail(stream, {
    onText,
    onDiagnostic: (diagnostic) => diagnostics.push(diagnostic),
    onEnd: () => {},
  });
  stream.write('warning');
  await nextTurn();
  expect(tail.text).toBe('warning');
  return diagnostics;
}

for (const { name, value } of ODD_VALUES) {
  const throwIt = (): never => {
    throw value;
  };
  describe(`${name}, thrown by user code`, () => {
    test('by the stderr callback is contained and reported', async () => {
      expect(await reportsOf(throwIt)).toMatchObject([{ code: 'listener_threw' }]);
    });

    test('by an async stderr callback does not end the host and is reported', async () => {
      expect(await reportsOf(async () => throwIt())).toMatchObject([{ code: 'listener_threw' }]);
    });

    for (const method of ['connect', 'readMessages', 'write'] as const) {
      for (const kind of method === 'readMessages' ? ['throws'] : ['throws', 'rejects']) {
        test(`by a transport whose ${method} ${kind} ends the session with a typed error`, async () => {
          const transport: TransportLike = {
            write: () => {},
            readMessages: async function* () {
              yield* [];
              await new Promise(() => {});
            },
            endInput: throwIt,
            isReady: () => true,
            close: throwIt,
            [method]: kind === 'throws' ? throwIt : () => Promise.reject(value),
          };
          const receiver = createReceiver();
          const adapted = adaptTransport(transport);
          adapted.open(receiver);
          adapted.send({ n: 1 });
          const { error } = await receiver.end;
          expect(error).toBeInstanceOf(CLIConnectionError);
          expect(error?.cause).toBe(value);
        });
      }
    }

    test('by the clean-up after a process is reported', async () => {
      const { transport, receiver } = startFixture('exits-on-eof', [], { onExitCleanup: throwIt });
      transport.endInput();
      await receiver.end;
      expect(receiver.diagnostics).toMatchObject([{ code: 'cleanup_failed' }]);
    });

    test('by a foreign stdin becomes a typed error', async () => {
      const stdin = new Writable();
      stdin.write = throwIt;
      const writer = new FrameWriter(stdin);
      writer.send({});
      await nextTurn();
      expect(() => writer.send({})).toThrow(CLIConnectionError);
    });

    test('by a start becomes a typed error', () => {
      expect(toLaunchError(value, { file: 'claude' })).toBeInstanceOf(CLIConnectionError);
    });
  });
}
