import type { RewindFilesResult, SDKControlReadFileResponse } from '../control-answers.js';
import type { QuerySession } from '../query-session.js';
import { ask, askFor, given, nothing } from './ask.js';

/** Requests about files on the CLI's machine. */
export class FileRequests {
  readonly #session: QuerySession;

  constructor(session: QuerySession) {
    this.#session = session;
  }

  /** Whatever goes wrong is `null`: the caller asks for a file that may not be there (TS-102). */
  readFile(
    path: string,
    options: { maxBytes?: number; encoding?: 'utf-8' | 'base64' } = {},
  ): Promise<SDKControlReadFileResponse | null> {
    const { maxBytes: max_bytes, encoding } = options;
    return askFor(this.#session, 'read_file', given({ path, max_bytes, encoding })).then(
      (file) => file ?? null,
      () => null,
    );
  }

  seedReadState(path: string, mtime: number): Promise<void> {
    return ask(this.#session, 'seed_read_state', { path, mtime }, nothing);
  }

  rewindFiles(
    userMessageId: string,
    options: { dryRun?: boolean } = {},
  ): Promise<RewindFilesResult> {
    const payload = { user_message_id: userMessageId, dry_run: options.dryRun };
    return askFor(this.#session, 'rewind_files', given(payload));
  }
}
