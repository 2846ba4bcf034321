import type { Readable, Writable } from 'node:stream';
import type { ChunkReader, ChunkSink } from './chunk-reader.js';

/**
 * A process that was started, as much of it as {@link ProcessTransport} uses. What differs between
 * our own spawn and `spawnClaudeCodeProcess` is behind this.
 */
export interface RunningProcess {
  readonly pid: number | undefined;
  readonly stdin: Writable;
  readonly stderr: Readable | undefined;
  /** Called once, at the start. */
  readStdout(sink: ChunkSink): ChunkReader;
  /** False when the process is gone. Never throws. */
  kill(signal: 'SIGTERM' | 'SIGKILL'): boolean;
  /** Called once, at the start. Exactly one of the listeners is called, once, never before this has returned. */
  onGone(listeners: ProcessEndListeners): void;
}

export interface ProcessEndListeners {
  readonly onExit: (exitCode: number | null, signal: NodeJS.Signals | null) => void;
  /** It never ran, or nobody will learn how it ended. */
  readonly onFailure: (error: Error) => void;
}
