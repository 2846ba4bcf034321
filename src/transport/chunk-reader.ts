import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { nextTick } from '../util/next-turn.js';

/** Larger reads are slower: their strings go to the large-object space of V8. */
const READ_BYTES = 64 * 1024;
/** One for all readers: what is in it is taken before the next read of any of them. */
let sharedBuffer: Buffer | undefined;

/** Receives what a {@link ChunkReader} reads. */
export interface ChunkSink {
  /** The chunk's memory is reused as soon as this has returned. Must not throw: that may stall the stream. */
  onChunk(chunk: Buffer): void;
  /** Once and last: the stream ended, was destroyed, or failed with `error`. */
  onEnd(error?: Error): void;
}

export interface ChunkReader {
  pause(): void;
  resume(): void;
  /** Stops reading for good and lets the descriptor go. `onEnd` may still follow. */
  destroy(): void;
}

/**
 * Reads any stream of bytes by its `data` events. After a pause no more is asked of it, but what it has may still come: Node
 * resumes the pipes of a child that has exited, and whoever else reads it resumes it too.
 */
export function readStream(stream: Readable, sink: ChunkSink): ChunkReader {
  stream.on('data', (chunk: Buffer | string) => {
    sink.onChunk(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  });
  return readerOf(stream, sink);
}

/**
 * Reads a child's stdout: first as {@link readStream} does, and from {@link READ_BYTES} on through the handle of the
 * pipe into a buffer that all children share. Without a 64 KiB allocation and a stream event per read, this costs about
 * half; to set it up costs more than a short session saves. The handle is not public. In a runtime that has none, or a
 * different one, the stream is read to its end.
 */
export function readChildOutput(stream: Readable, sink: ChunkSink): ChunkReader {
  let bytes = 0;
  let isPaused = false;
  /** What Node takes from the pipe of a child that has exited, although reading is paused. Little: a pipe holds 64 KiB. */
  const held: Buffer[] = [];
  let end: (() => void) | undefined;
  const first = readStream(stream, {
    onChunk(chunk) {
      bytes += chunk.length;
      // Not now: Node goes on with the handle when this has returned.
      if (bytes >= READ_BYTES) nextTick(takeOver);
      if (isPaused) held.push(chunk);
      else sink.onChunk(chunk);
    },
    onEnd(error) {
      if (reader !== first) return;
      if (held.length === 0) sink.onEnd(error);
      else end = () => sink.onEnd(error);
    },
  });
  let reader = first;
  const takeOver = (): void => {
    const handle = reader === first && !isPaused ? handleOf(stream) : undefined;
    if (handle === undefined) return;
    reader = readHandle(handle, sink);
    // The cast: `handleOf` found a handle there. The child's `close` event waits for the emptied stream.
    (stream as unknown as StreamWithHandle)._handle = null;
    stream.destroy();
  };
  const deliverEnd = (): void => {
    end?.();
    end = undefined;
  };
  return {
    pause() {
      isPaused = true;
      reader.pause();
    },
    resume() {
      isPaused = false;
      for (let chunk = held.shift(); chunk !== undefined; chunk = isPaused ? undefined : held.shift())
        sink.onChunk(chunk);
      if (isPaused) return;
      reader.resume();
      deliverEnd();
    },
    destroy() {
      held.length = 0;
      reader.destroy();
      deliverEnd();
    },
  };
}

function readHandle(handle: PipeHandle, sink: ChunkSink): ChunkReader {
  sharedBuffer ??= Buffer.allocUnsafeSlow(READ_BYTES);
  const buffer = sharedBuffer;
  // Node is reading, and a handle takes only one reader (EALREADY).
  handle.readStop();
  handle.reading = false;
  // The cast: `handle` and `onread` work together, but their types do not say so.
  const socket = new Socket({
    handle,
    readable: true,
    writable: false,
    onread: {
      buffer,
      callback: (bytes: number) => {
        sink.onChunk(bytes === READ_BYTES ? buffer : buffer.subarray(0, bytes));
        return true;
      },
    },
  } as ConstructorParameters<typeof Socket>[0]);
  return readerOf(socket, sink);
}

/** The part of libuv's stream wrap that is used here. */
interface PipeHandle {
  reading: boolean;
  readStop(): number;
}

interface StreamWithHandle {
  _handle: PipeHandle | null;
}

/** The handle of a stream, if another socket can read it, and all that was read from it so far has been taken. */
function handleOf(stream: Readable): PipeHandle | undefined {
  if (!(stream instanceof Socket) || stream.isPaused()) return undefined;
  if (stream.readableEnded || stream.readableLength > 0) return undefined;
  const handle: unknown = (stream as unknown as Partial<StreamWithHandle>)._handle;
  if (typeof handle !== 'object' || handle === null) return undefined;
  const isUsable = ['readStart', 'readStop', 'useUserBuffer', 'close'].every(
    (name) => typeof Reflect.get(handle, name) === 'function',
  );
  return isUsable ? (handle as PipeHandle) : undefined;
}

function readerOf(stream: Readable, sink: ChunkSink): ChunkReader {
  let hasEnded = false;
  const settle = (error?: Error): void => {
    if (hasEnded) return;
    hasEnded = true;
    sink.onEnd(error);
  };
  stream.on('end', () => settle());
  stream.on('close', () => settle());
  stream.on('error', settle);
  return { pause: () => void stream.pause(), resume: () => void stream.resume(), destroy: () => void stream.destroy() };
}
