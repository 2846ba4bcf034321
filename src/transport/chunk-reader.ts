import { Socket } from 'node:net';
import type { Readable } from 'node:stream';

/** Larger reads are slower: their strings go to the large-object space of V8. */
const READ_BYTES = 64 * 1024;
/** One for all readers: what is in it is taken before the next read of any of them. */
let sharedBuffer: Buffer | undefined;

/** Receives what a {@link ChunkReader} reads. */
export interface ChunkSink {
  /** The chunk's memory is reused as soon as this has returned. */
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

/** Reads any stream of bytes by its `data` events. */
export function readStream(stream: Readable, sink: ChunkSink): ChunkReader {
  let isPaused = false;
  stream.on('data', (chunk: Buffer | string) => {
    if (isPaused) {
      // Node resumes the pipes of a child that has exited. What they still have must wait all the same.
      stream.pause();
      stream.unshift(chunk);
    } else {
      sink.onChunk(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
    }
  });
  const reader = readerOf(stream, sink);
  return {
    pause() {
      isPaused = true;
      reader.pause();
    },
    resume() {
      isPaused = false;
      reader.resume();
    },
    destroy: reader.destroy,
  };
}

/**
 * Reads a child's stdout through the handle of the pipe into a buffer that all children share. Without a 64 KiB
 * allocation and a stream event per read, this costs about half of {@link readStream}. The handle is not public. In a
 * runtime that has none, or a different one, this falls back to {@link readStream}. The emptied stream is destroyed: the
 * child's `close` event waits for it.
 */
export function readChildOutput(stream: Readable, sink: ChunkSink): ChunkReader {
  const handle = handleOf(stream);
  if (handle === undefined) return readStream(stream, sink);

  sharedBuffer ??= Buffer.allocUnsafeSlow(READ_BYTES);
  const buffer = sharedBuffer;
  // Node has started to read already, and a handle takes only one reader (EALREADY).
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
  // The cast: `handleOf` found a handle there.
  (stream as unknown as StreamWithHandle)._handle = null;
  stream.destroy();
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

/** The handle of a stream, if another socket can read it and nothing was read from it yet. */
function handleOf(stream: Readable): PipeHandle | undefined {
  if (!(stream instanceof Socket) || stream.readableLength > 0 || stream.readableEnded) return undefined;
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
