import { describe, expect, test } from 'vitest';
import type { Diagnostic } from '../../src/diagnostics.js';
import { observeTransport } from '../../src/transport/observed-transport.js';
import type { FrameReceiver, FrameTransport } from '../../src/transport/transport.js';

/** What passes between a session and a transport, both told as text, with an observer in between. */
function observedPair(extras: Partial<FrameTransport> = {}) {
  const calls: string[] = [];
  const call = (text: string): void => void calls.push(text);
  let inner: FrameReceiver | undefined;
  const transport: FrameTransport = {
    pid: 7,
    isWritable: true,
    open: (receiver) => {
      inner = receiver;
      call('open');
    },
    send: (frame) => {
      call(`send ${JSON.stringify(frame)}`);
      return false;
    },
    drained: async () => call('drained'),
    endInput: () => call('endInput'),
    pause: () => call('pause'),
    resume: () => call('resume'),
    discard: () => call('discard'),
    close: async (ladder) => call(`close ${JSON.stringify(ladder)}`),
    ...extras,
  };
  const observed = observeTransport(transport, {
    onOpen: () => call('- opening'),
    onOpened: () => call('- opened'),
    onFrameIn: (frame, bytes) => call(`- in ${JSON.stringify(frame)} ${bytes}`),
    onFrameOut: (frame) => call(`- out ${JSON.stringify(frame)}`),
    onInputEnd: () => call('- end of input'),
    onClose: (ladder) => call(`- closing ${JSON.stringify(ladder)}`),
    onEnd: (end) => call(`- ended ${JSON.stringify(end)}`),
  });
  const receiver: FrameReceiver = {
    onFrame: (frame, bytes, line) => call(`frame ${JSON.stringify(frame)} ${bytes} ${line}`),
    onDiagnostic: ({ message }) => call(`diagnostic ${message}`),
    onEnd: (end) => call(`end ${JSON.stringify(end)}`),
  };
  const peer = (): FrameReceiver => inner ?? expect.fail('not opened');
  return { observed, receiver, peer, calls, call };
}

describe('an observed transport', () => {
  test('frames of the peer are seen before the receiver gets them, frames for it when they are queued', () => {
    const { observed, receiver, peer, calls } = observedPair();
    observed.open(receiver);
    expect(observed.send({ a: 1 })).toBe(false);
    peer().onFrame({ b: 2 }, 7, '{"b":2}');
    peer().onDiagnostic({ message: 'odd' } as Diagnostic);
    expect(calls).toEqual([
      '- opening',
      'open',
      '- opened',
      'send {"a":1}',
      '- out {"a":1}',
      '- in {"b":2} 7',
      'frame {"b":2} 7 {"b":2}',
      'diagnostic odd',
    ]);
  });

  test('a frame that was refused is not seen', () => {
    const { observed, calls } = observedPair({
      send: () => {
        throw new TypeError('no JSON');
      },
    });
    expect(() => observed.send({})).toThrow('no JSON');
    expect(calls).toEqual([]);
  });

  test('the end of input is seen once, a close as long as the peer lives', async () => {
    const { observed, receiver, peer, calls } = observedPair();
    observed.open(receiver);
    calls.length = 0;
    observed.endInput();
    observed.endInput();
    await observed.close({ sigtermMs: 1 });
    peer().onEnd({});
    await observed.close();
    expect(calls).toEqual([
      '- end of input',
      'endInput',
      'endInput',
      '- closing {"sigtermMs":1}',
      'close {"sigtermMs":1}',
      '- ended {}',
      'end {}',
      'close undefined',
    ]);
  });

  test('everything else is passed on, and what a transport lacks is missing', async () => {
    const bare = observedPair();
    expect([bare.observed.pid, bare.observed.isWritable]).toEqual([7, true]);
    bare.observed.pause();
    bare.observed.resume();
    bare.observed.discard();
    await bare.observed.drained();
    bare.observed.flush?.();
    bare.observed.skipLines?.('{');
    expect(bare.calls).toEqual(['pause', 'resume', 'discard', 'drained']);

    const seen: string[] = [];
    const full = observedPair({ flush: () => void seen.push('flush'), skipLines: (start) => void seen.push(start) });
    full.observed.flush?.();
    full.observed.skipLines?.('{"a"');
    expect(seen).toEqual(['flush', '{"a"']);
  });
});
