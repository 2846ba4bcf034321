import { mkdir, open, readFile, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DiagnosticListener } from '../../diagnostics.js';
import type { SessionKey, SessionStoreEntry } from '../../transcripts/store/session-store.js';
import { createPrivateDirectory, type PrivateDirectory } from '../../transport/private-files.js';
import type { ConfigLocation } from '../../util/config-folder.js';
import { errorText } from '../../util/error-text.js';
import { isJsonObject, jsonTextOf, parseJsonObject } from '../../util/json.js';

/** Entries for the small file beside a subagent's transcript. */
const METADATA = 'agent_metadata';
/** Text that is written at once, in UTF-16 units. A transcript may be longer than a string can be. */
const CHUNK_UNITS = 1024 * 1024;
const REMOVE_TRIES = 4;
const REMOVE_WAIT_MS = 100;

/**
 * A configuration folder of its own for one run, for this user only: the CLI finds in it the session that it is to
 * resume, and copies of what it needs to be the same user. The user's own folder would get the session too, and may
 * have another one under its id.
 */
export class ResumeFolder {
  readonly #directory: PrivateDirectory;

  constructor() {
    this.#directory = createPrivateDirectory();
  }

  /** Absolute. */
  get path(): string {
    return this.#directory.path;
  }

  /**
   * Removes it with everything in it. Something the CLI left running may still write there: then a few more tries
   * follow. Never throws; what stays is reported, and goes with the host at the latest.
   */
  remove(onDiagnostic: DiagnosticListener, triesLeft = REMOVE_TRIES): void {
    try {
      this.#directory.remove();
    } catch (error) {
      if (triesLeft > 0) {
        setTimeout(() => this.remove(onDiagnostic, triesLeft - 1), REMOVE_WAIT_MS).unref();
        return;
      }
      onDiagnostic({
        code: 'cleanup_failed',
        message: `The configuration folder of a resumed session could not be removed: ${errorText(error)}`,
      });
    }
  }

  /**
   * Writes one transcript where the CLI looks for it.
   * @param key - Its `subpath` is one that may be a path.
   * @param signal - Looked at between pieces: a long session takes seconds.
   * @throws what the file system says, or the signal's reason; a part may have been written.
   */
  async writeTranscript(key: SessionKey, entries: readonly SessionStoreEntry[], signal: AbortSignal): Promise<void> {
    const session = join(this.path, 'projects', key.projectKey, key.sessionId);
    if (key.subpath === undefined) {
      await writeLines(`${session}.jsonl`, entries, signal);
      return;
    }
    const file = join(session, ...key.subpath.split('/'));
    const lines = entries.filter(({ type }) => type !== METADATA);
    const metadata = entries.findLast(({ type }) => type === METADATA);
    if (lines.length > 0) await writeLines(`${file}.jsonl`, lines, signal);
    if (metadata === undefined) return;
    const { type: _, ...fields } = metadata;
    await writePrivately(`${file}.meta.json`, JSON.stringify(fields));
  }

  /**
   * Copies what makes the user the same: credentials without what renews them, of this log-in and of those to MCP
   * servers (two processes that renew one log-in would lock each other out), the global file, and settings without what
   * would lead back to the old folder. What is not there, or no plain file, is left out.
   */
  async copyUserFiles({ folder, globalFile }: ConfigLocation): Promise<void> {
    await this.#copy(join(folder, '.credentials.json'), '.credentials.json', withoutRefreshTokens);
    await this.#copy(globalFile, '.claude.json', asItIs);
    await this.#copy(join(folder, OLDER_GLOBAL_FILE), OLDER_GLOBAL_FILE, asItIs);
    for (const name of OTHER_GLOBAL_FILES) await this.#copy(join(dirname(globalFile), name), name, asItIs);
    for (const name of ['settings.json', 'cowork_settings.json']) {
      await this.#copy(join(folder, name), name, withoutFolderBound);
    }
  }

  async #copy(source: string, name: string, change: (text: string) => string | undefined): Promise<void> {
    const text = change((await readPlainFile(source)) ?? '');
    if (text) await writePrivately(join(this.path, name), text);
  }
}

/** The CLI prefers it to `.claude.json` when it is there. */
const OLDER_GLOBAL_FILE = '.config.json';

/** Those of log-ins at other places, such as `CLAUDE_CODE_CUSTOM_OAUTH_URL`. */
const OTHER_GLOBAL_FILES = ['.claude-custom-oauth.json', '.claude-staging-oauth.json', '.claude-local-oauth.json'];

function asItIs(text: string): string {
  return text;
}

/** `undefined` for what is not JSON: it is of no use to the CLI, and may hold the token. */
function withoutRefreshTokens(text: string): string | undefined {
  const credentials = parseJsonObject(text);
  const kept = (name: string, value: unknown) => (name === 'refreshToken' ? undefined : value);
  return credentials && jsonTextOf(credentials, kept);
}

/** Plugins and marketplaces are files of the old folder. Unreadable settings stay as they are: the CLI reports them. */
function withoutFolderBound(text: string): string {
  const settings = parseJsonObject(text.replace(/^\uFEFF/, ''));
  if (settings === undefined) return text;
  const { enabledPlugins: _plugins, extraKnownMarketplaces: _places, ...rest } = settings;
  const { env } = rest;
  if (!isJsonObject(env)) return jsonTextOf(rest) ?? text;
  const { CLAUDE_CONFIG_DIR: _folder, ...variables } = env;
  return jsonTextOf({ ...rest, env: variables }) ?? text;
}

async function readPlainFile(path: string): Promise<string | undefined> {
  try {
    // Asked first: to open a pipe would wait for its other end.
    if (!(await stat(path)).isFile()) return undefined;
    return await readFile(path, 'utf8');
  } catch {
    return undefined;
  }
}

async function writeLines(path: string, entries: readonly object[], signal: AbortSignal): Promise<void> {
  await makeFolderOf(path);
  const file = await open(path, 'w', 0o600);
  try {
    let text = '';
    for (const entry of entries) {
      text += `${JSON.stringify(entry)}\n`;
      if (text.length < CHUNK_UNITS) continue;
      await file.writeFile(text);
      signal.throwIfAborted();
      text = '';
    }
    await file.writeFile(text);
  } finally {
    await file.close();
  }
}

async function writePrivately(path: string, text: string): Promise<void> {
  await makeFolderOf(path);
  await writeFile(path, text, { mode: 0o600 });
}

async function makeFolderOf(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
}
