import type { FileHandle } from 'node:fs/promises';
import { type Page, pageOf } from '../session-options.js';
import type { SessionMessage } from '../session-types.js';
import type { ChainNode } from '../transcript/chain-node.js';
import { NOTE_REASON } from '../transcript/delivery-notes.js';
import type { TranscriptEntry } from '../transcript/entry.js';
import {
  type MessageChoice,
  type SubagentParents,
  TranscriptFacts,
  toSessionMessage,
} from '../transcript/main-chain.js';
import { fileError, openToRead } from './open-file.js';
import { parseLine, transcriptLines } from './transcript-lines.js';

/** Entries are kept up to this many bytes of lines, so that a transcript of common size is parsed once. */
const KEPT_BYTES = 8 * 1_048_576;

/** The place of an entry, and the entry itself while there is room for it. */
interface LineRef {
  readonly offset: number;
  readonly length: number;
  readonly entry: TranscriptEntry | undefined;
}

/**
 * The messages of a transcript. Reads the file once for the links between its entries, and of a long file the lines of
 * the messages a second time: only the links and the returned messages stay in memory.
 */
export async function readMessages(
  sessionId: string,
  path: string,
  options: Page & MessageChoice,
): Promise<SessionMessage[]> {
  const file = await openToRead(sessionId, path);
  if (file === undefined) return [];
  try {
    const facts = await factsOf(file);
    return await messagesOf(file, pageOf(facts.messageNodes(options), options), options.parents);
  } catch (error) {
    throw fileError(sessionId, path, 'read', error);
  } finally {
    await file.close();
  }
}

async function factsOf(file: FileHandle): Promise<TranscriptFacts<LineRef>> {
  const facts = new TranscriptFacts<LineRef>();
  let kept = 0;
  for await (const { lines } of transcriptLines(file)) {
    for (const { bytes, offset } of lines) {
      // Most lines of other types are long; a search shows that they are not needed.
      if (!bytes.includes('"uuid"') && !bytes.includes(NOTE_REASON)) continue;
      const entry = parseLine(bytes);
      if (entry === undefined) continue;
      kept += bytes.length;
      const isKept = kept <= KEPT_BYTES;
      facts.add(entry, { offset, length: bytes.length, entry: isKept ? entry : undefined });
    }
  }
  return facts;
}

async function messagesOf(
  file: FileHandle,
  nodes: readonly ChainNode<LineRef>[],
  parents: SubagentParents | undefined,
): Promise<SessionMessage[]> {
  const window = new LineWindow(file);
  const messages: SessionMessage[] = [];
  for (const { ref, isLocalCommand } of nodes) {
    const { offset, length } = ref;
    const entry = ref.entry ?? parseLine(window.held(offset, length) ?? (await window.load(offset, length)));
    // The line was parsed before: it is broken only when the file has changed.
    if (entry !== undefined) messages.push(toSessionMessage(entry, parents, isLocalCommand));
  }
  return messages;
}

const WINDOW_BYTES = 1_048_576;

/** Positioned reads through a buffer: most are near each other and go forward, so one read serves many lines. */
class LineWindow {
  readonly #file: FileHandle;
  readonly #buffer = Buffer.allocUnsafeSlow(WINDOW_BYTES);
  #start = 0;
  #end = 0;

  constructor(file: FileHandle) {
    this.#file = file;
  }

  /** The bytes there when they are in the buffer, valid until the next {@link load}. */
  held(offset: number, length: number): Buffer | undefined {
    if (offset < this.#start || offset + length > this.#end) return undefined;
    return this.#buffer.subarray(offset - this.#start, offset - this.#start + length);
  }

  /** Reads these bytes and the ones after them. Fewer when the file has become shorter. */
  async load(offset: number, length: number): Promise<Buffer> {
    if (length > WINDOW_BYTES) {
      const line = Buffer.allocUnsafeSlow(length);
      return line.subarray(0, await this.#fill(line, offset));
    }
    this.#start = offset;
    this.#end = offset;
    this.#end += await this.#fill(this.#buffer, offset);
    return this.#buffer.subarray(0, Math.min(length, this.#end - offset));
  }

  async #fill(buffer: Buffer, position: number): Promise<number> {
    let length = 0;
    while (length < buffer.length) {
      const { bytesRead } = await this.#file.read(buffer, length, buffer.length - length, position + length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return length;
  }
}
