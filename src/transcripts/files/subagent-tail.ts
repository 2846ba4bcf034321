import { join } from 'node:path';
import { isSessionId } from '../transcript/entry.js';
import { RecordedAnswers } from '../transcript/recorded-answers.js';
import { lstatAt, namesIn, openToRead, readAt, readFrom } from './open-file.js';
import { folderNameOf, realDirectory } from './project-folder.js';
import { agentOf, transcriptsBelow } from './subagent-files.js';
import { parseLine, transcriptLines } from './transcript-lines.js';

/** Where a CLI keeps its transcripts. Both absolute. */
export interface TranscriptPlace {
  readonly configFolder: string;
  /** The working directory that the session began in. */
  readonly cwd: string;
}

/** Longest part of a file that is read without giving other work a chance. */
const MAX_BYTES_AT_ONCE = 64 * 1_048_576;
const CHUNK_BYTES = 1_048_576;
const NEWLINE = 0x0a;
/** Lines of tool results are parsed for their time alone, so long ones are left out. */
const MAX_USER_LINE_BYTES = 262_144;

/** The answers in a sub-agent's transcript, which grows while it is read. Never throws. */
export class SubagentTail {
  readonly answers = new RecordedAnswers();
  readonly #place: TranscriptPlace;
  readonly #sessionId: string;
  readonly #agentId: string;
  #path: string | undefined;
  #offset = 0;

  constructor(place: TranscriptPlace, sessionId: string, agentId: string) {
    this.#place = place;
    this.#sessionId = sessionId;
    this.#agentId = agentId;
  }

  /** Reads what was added since the last time. @returns false when there is no transcript, or it cannot be read. */
  async read(): Promise<boolean> {
    const path = this.#find();
    if (path === undefined) return false;
    try {
      const file = await openToRead(this.#sessionId, path);
      if (file === undefined) return false;
      try {
        for await (const { lines, end } of transcriptLines(file, { start: this.#offset, isLastWhole: false })) {
          for (const { bytes } of lines) this.#addLine(bytes);
          this.#offset = Math.max(this.#offset, end);
        }
      } finally {
        await file.close();
      }
      return true;
    } catch {
      return false;
    }
  }

  /**
   * As {@link read}, at once: for a CLI that is gone, whose transcript is complete.
   * @returns false also when more than 64 MiB were added since the last time.
   */
  readNow(): boolean {
    const path = this.#find();
    if (path === undefined) return false;
    const isWhole = readFrom(path, (descriptor, { size }) => {
      if (size - this.#offset > MAX_BYTES_AT_ONCE) return false;
      const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES);
      let open: Buffer[] = [];
      for (let position = this.#offset; ; ) {
        const chunk = readAt(descriptor, buffer, position);
        if (chunk.length === 0) break;
        position += chunk.length;
        let from = 0;
        for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
          this.#addLine(Buffer.concat([...open, chunk.subarray(from, end)]));
          open = [];
          from = end + 1;
          this.#offset = position - chunk.length + from;
        }
        if (from < chunk.length) open.push(Buffer.from(chunk.subarray(from)));
      }
      return true;
    });
    return isWhole === true;
  }

  #addLine(bytes: Buffer): void {
    const isAnswer = bytes.includes('"type":"assistant"');
    if (!isAnswer && (bytes.length > MAX_USER_LINE_BYTES || !bytes.includes('"type":"user"'))) return;
    this.answers.add(parseLine(bytes));
  }

  #find(): string | undefined {
    this.#path ??= findSubagent(this.#place, this.#sessionId, this.#agentId);
    return this.#path;
  }
}

/** A sub-agent's transcript; `undefined` when there is none, or the ids are not such. */
function findSubagent({ configFolder, cwd }: TranscriptPlace, sessionId: string, agentId: string): string | undefined {
  if (!isSessionId(sessionId) || !/^[\w-]{1,128}$/.test(agentId)) return undefined;
  try {
    const projects = join(configFolder, 'projects');
    const file = `agent-${agentId}.jsonl`;
    const own = join(projects, folderNameOf(realDirectory(cwd)));
    // The second is where releases before 2.1 have it.
    const usual = [join(own, sessionId, 'subagents', file), join(own, file)].find(isFile);
    if (usual !== undefined) return usual;
    // The session began in another directory, or the agent belongs to a workflow, which has a folder of its own.
    for (const name of namesIn(projects)) {
      const below = transcriptsBelow(join(projects, name, sessionId));
      const found = below.find(({ subpath }) => agentOf(subpath) === agentId);
      if (found !== undefined) return found.path;
    }
  } catch {
    // A directory that does not exist any more.
  }
  return undefined;
}

/** A link could lead anywhere. */
function isFile(path: string): boolean {
  return lstatAt(path)?.isFile() === true;
}
