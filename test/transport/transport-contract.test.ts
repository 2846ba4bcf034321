import { spawn } from 'node:child_process';
import { createCustomSpawnTransport } from '../../src/transport/custom-spawn.js';
import { DeferredTransport } from '../../src/transport/deferred-transport.js';
import { adaptTransport, type TransportLike } from '../../src/transport/pull-adapter.js';
import { createSubprocessTransport } from '../../src/transport/subprocess.js';
import type { FrameTransport } from '../../src/transport/transport.js';
import { createDeferred } from '../../src/util/deferred.js';
import { createMemoryPair } from '../helpers/memory-pair.js';
import { fixtureSpec } from './support.js';
import { describeTransportContract } from './transport-contract.js';

describeTransportContract({
  name: 'memory pair',
  hasExit: true,
  createEcho: () => {
    const { transport, peer } = createMemoryPair();
    peer.onFrame = (frame) => peer.emit(frame);
    return transport;
  },
  createFailing: () => createMemoryPair({ startError: new Error('no start') }).transport,
  createStubborn: () => {
    const { transport, peer } = createMemoryPair({ exitsOnEndOfInput: false });
    peer.stopReading();
    return transport;
  },
});

describeTransportContract({
  name: 'subprocess',
  hasExit: true,
  createEcho: () => createSubprocessTransport(fixtureSpec('exits-on-eof')),
  createFailing: () => createSubprocessTransport(fixtureSpec('', [], { file: '/does/not/exist' })),
  createStubborn: () => createSubprocessTransport(fixtureSpec('reads-nothing')),
});

describeTransportContract({
  name: 'custom spawn',
  hasExit: true,
  createEcho: () => customSpawn('exits-on-eof'),
  createFailing: () => customSpawn('', '/does/not/exist'),
  createStubborn: () => customSpawn('reads-nothing'),
});

describeTransportContract({
  name: 'deferred subprocess',
  hasExit: true,
  createEcho: () => deferred(() => createSubprocessTransport(fixtureSpec('exits-on-eof'))),
  createFailing: () => deferred(() => createSubprocessTransport(fixtureSpec('', [], { file: '/does/not/exist' }))),
  createStubborn: () => deferred(() => createSubprocessTransport(fixtureSpec('reads-nothing'))),
});

describeTransportContract({
  name: 'deferred, never prepared',
  hasExit: true,
  createEcho: () => deferred(() => createSubprocessTransport(fixtureSpec('exits-on-eof'))),
  createFailing: () => new DeferredTransport(() => Promise.reject(new Error('no session'))),
  createStubborn: () =>
    new DeferredTransport(
      (signal) =>
        new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(new Error('nobody wants it')));
        }),
    ),
});

describeTransportContract({
  name: 'pull adapter',
  hasExit: false,
  createEcho: () => adaptTransport(new PullEcho()),
  createFailing: () =>
    adaptTransport(Object.assign(new PullEcho(), { connect: () => Promise.reject(new Error('no link')) })),
  createStubborn: () =>
    adaptTransport(Object.assign(new PullEcho(), { write: () => new Promise<void>(() => {}), close: () => {} })),
});

/** Prepared only after whatever the test does at once. */
function deferred(create: () => FrameTransport): FrameTransport {
  return new DeferredTransport(async () => {
    await new Promise(setImmediate);
    return create();
  });
}

function customSpawn(fixture: string, command?: string): FrameTransport {
  const { file, args, env, maxBufferBytes, exitGraceMs } = fixtureSpec(fixture);
  return createCustomSpawnTransport({
    spawn: (options) => spawn(options.command, options.args, { env: options.env, stdio: 'pipe' }),
    command: command ?? file,
    args,
    env,
    cwd: undefined,
    maxBufferBytes,
    exitGraceMs,
  });
}

/** A connection as an application would write it, to a peer that answers every frame with itself. */
class PullEcho implements TransportLike {
  readonly #queue: unknown[] = [];
  #wake = createDeferred<void>();
  #hasEnded = false;

  async write(data: string): Promise<void> {
    await Promise.resolve();
    this.#queue.push(JSON.parse(data));
    this.#wake.resolve();
  }

  async *readMessages(): AsyncGenerator<unknown> {
    for (;;) {
      while (this.#queue.length > 0) yield this.#queue.shift();
      if (this.#hasEnded) return;
      await this.#wake.promise;
      this.#wake = createDeferred();
    }
  }

  endInput(): void {
    this.#hasEnded = true;
    this.#wake.resolve();
  }

  isReady(): boolean {
    return true;
  }

  close(): void {
    this.endInput();
  }
}
