import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { codeOf } from '../../util/error-code.js';
import { onHostExit } from '../../util/host-exit.js';
import { homeDirectory, workingDirectory } from '../../util/host-places.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import { removeTreeSync } from '../../util/remove-tree.js';
import { livingDirectories, ownDirectoryPrefix } from '../../util/stale-directories.js';
import { AdapterConfigError } from '../errors/adapter-error.js';
import type { Log } from '../logging/log.js';
import { havingMethod, madeByCreate, readFields } from '../options/read-fields.js';
import { childEnvironment } from './environment.js';
import { type IsolationConfig, type ResolvedIsolation, resolveIsolation } from './isolation-config.js';
import { assertPrivateTempRoot, lenientRealPath } from './path-trust.js';
import { recordAbsent, removePlaceholders } from './placeholders.js';
import { finishHome, sweepHomes } from './remove-homes.js';
import { guardSandbox } from './sandbox-guard.js';
import { buildSettings } from './settings.js';

export interface EphemeralHomeOptions {
  /** The child's working directory, which is not in the home. Relative paths are resolved against it. */
  readonly workspacePath?: string | undefined;
  readonly addDirs?: readonly string[] | undefined;
  /** @defaultValue `'deny'` */
  readonly outsideWorkspacePaths?: 'allow' | 'deny' | undefined;
  /** Prefix of the folder's name: letters, digits, `.`, `_` and `-`. @defaultValue `'claude-agent-'` */
  readonly prefix?: string | undefined;
  /** Port of the policy proxy, when there is one. */
  readonly proxyPort?: number | undefined;
  /** The folder for the home. @defaultValue the system's temporary directory */
  readonly tempRoot?: string | undefined;
  /** @defaultValue `process.env` */
  readonly hostEnv?: Readonly<Record<string, string | undefined>> | undefined;
  /** @defaultValue the home of the host's user */
  readonly hostHome?: string | undefined;
  /** @defaultValue `process.platform` */
  readonly platform?: string | undefined;
  readonly log?: Log | undefined;
}

export const DEFAULT_PREFIX = 'claude-agent-';
/** On Linux a socket's path has at most 107 bytes, and the CLI's sandbox makes `claude-socks-<16 digits>.sock`. */
const MAX_TMP_DIR_BYTES = 107 - '/claude-socks-0123456789abcdef.sock'.length;

/** Removes the home of an object that was collected without `cleanup()`. It holds the path, not the object. */
const forgotten = new FinalizationRegistry<{ readonly path: string; readonly forget: () => void }>(
  ({ path, forget }) => {
    // Nobody is left to report to.
    finishHome(path, forget).catch(() => {});
  },
);

/**
 * A home for one run: the CLI's configuration folder with the settings file, and its temporary directory. Only this
 * user can enter it. It is removed by `cleanup()`, at the end of `await using`, when the host exits and when the
 * object is collected. The next home in the same folder removes those of killed hosts. Empty placeholders that a
 * killed CLI left in the working directories are removed with the home.
 */
export class EphemeralHome implements AsyncDisposable {
  readonly homePath: string;
  /** `<home>/.claude` */
  readonly claudeDir: string;
  /** `<home>/tmp` */
  readonly tmpDir: string;
  /** `<home>/.claude/settings.json` */
  readonly settingsPath: string;
  /** The content of the settings file. */
  readonly settings: JsonObject;
  readonly #env: Readonly<Record<string, string>>;
  readonly #log: Log | undefined;
  /** The homes of other running runs. */
  readonly #beside: () => Promise<readonly string[]>;
  readonly #forget: () => void;
  #removal: Promise<void> | undefined;

  private constructor(home: HomeContents) {
    if (home?.paths === undefined) throw madeByCreate('EphemeralHome.create(isolation)');
    const { homePath: path, claudeDir, tmpDir, settingsPath } = home.paths;
    this.homePath = path;
    this.claudeDir = claudeDir;
    this.tmpDir = tmpDir;
    this.settingsPath = settingsPath;
    this.settings = home.settings;
    this.#env = home.env;
    this.#log = home.log;
    this.#beside = home.beside;
    this.#forget = onHostExit(() => removeTreeSync(path));
    forgotten.register(this, { path, forget: this.#forget }, this);
  }

  /**
   * Makes a home, and removes those in the same folder whose owner is gone.
   *
   * @throws {@link AdapterConfigError} an invalid value, or an unusable temporary directory. Then nothing is left
   *   behind.
   */
  static async create(
    isolation: IsolationConfig | ResolvedIsolation = {},
    options: EphemeralHomeOptions = {},
  ): Promise<EphemeralHome> {
    checkOptions(options);
    const { platform = process.platform, log, tempRoot = tmpdir(), prefix = DEFAULT_PREFIX } = options;
    const resolved = resolveIsolation(isolation, platform);
    assertPrivateTempRoot(tempRoot, resolved.sandbox.writablePaths, options);
    const swept = sweepHomes(tempRoot, checkedPrefix(prefix));
    const paths = await makeFolder(tempRoot, prefix);
    const { homePath } = paths;
    const beside = async (): Promise<readonly string[]> =>
      (await livingDirectories(tempRoot, prefix)).filter((path) => path !== homePath);
    try {
      requireShortPath(paths.tmpDir, resolved, platform);
      const all = { ...options, platform, tempRoot, prefix };
      const { env: childEnv, settings } = contentOf(resolved, homePath, all);
      await mkdir(paths.claudeDir, { mode: 0o700 });
      await mkdir(paths.tmpDir, { mode: 0o700 });
      const { enabled } = resolved.sandbox;
      const env = enabled ? guardSandbox(childEnv, homePath, platform) : childEnv;
      const text = `${JSON.stringify(settings, null, 2)}\n`;
      await writeFile(paths.settingsPath, text, { mode: 0o600, flag: 'wx' });
      await swept;
      if (enabled && platform === 'linux') {
        const { workspacePath = workingDirectory('workspacePath'), addDirs = [] } = options;
        await recordAbsent(homePath, [workspacePath, ...addDirs], await beside());
      }
      log?.debug('isolation.home_created', { path: homePath, platform });
      return new EphemeralHome({ paths, env, settings, beside, log });
    } catch (error) {
      // The removal is tried again later. The caller gets the first error.
      await finishHome(homePath).catch(() => {});
      throw error;
    }
  }

  /** The child's whole environment. */
  getEnv(): Readonly<Record<string, string>> {
    return { ...this.#env };
  }

  /** Empty: the settings file is passed by its path. */
  getSettingSources(): [] {
    return [];
  }

  /**
   * Removes the home, and on Linux ends the processes that still run in it. Call it when the child has exited; safe
   * to call twice. A failure is logged, and the removal is tried again: soon, with the next home, and when the host
   * exits.
   */
  async cleanup(): Promise<void> {
    this.#removal ??= this.#remove();
    await this.#removal;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cleanup();
  }

  async #remove(): Promise<void> {
    const context = { path: this.homePath, platform: process.platform };
    try {
      await removePlaceholders(this.homePath, await this.#beside());
      await finishHome(this.homePath, this.#forget);
      forgotten.unregister(this);
      this.#log?.debug('isolation.home_removed', context);
    } catch (error) {
      this.#removal = undefined;
      this.#log?.warn('isolation.home_not_removed', { ...context, code: codeOf(error) });
    }
  }
}

interface HomeContents {
  readonly paths: HomePaths;
  readonly env: Readonly<Record<string, string>>;
  readonly settings: JsonObject;
  readonly beside: () => Promise<readonly string[]>;
  readonly log: Log | undefined;
}

interface HomePaths {
  readonly homePath: string;
  readonly claudeDir: string;
  readonly tmpDir: string;
  readonly settingsPath: string;
}

async function makeFolder(tempRoot: string, prefix: string): Promise<HomePaths> {
  try {
    const homePath = await mkdtemp(join(tempRoot, ownDirectoryPrefix(prefix)));
    const claudeDir = join(homePath, '.claude');
    const settingsPath = join(claudeDir, 'settings.json');
    return { homePath, claudeDir, tmpDir: join(homePath, 'tmp'), settingsPath };
  } catch (cause) {
    throw new AdapterConfigError(
      `No home can be made in the temporary directory ${JSON.stringify(tempRoot)} (${codeOf(cause) ?? 'unknown'})`,
      ['tempRoot'],
      { hint: 'Set TMPDIR, or `tempRoot`, to a writable directory.', cause },
    );
  }
}

function contentOf(
  isolation: ResolvedIsolation,
  homePath: string,
  options: EphemeralHomeOptions & { readonly platform: string; readonly tempRoot: string; readonly prefix: string },
): { readonly env: Readonly<Record<string, string>>; readonly settings: JsonObject } {
  const { hostEnv = process.env, hostHome = homeDirectory(), workspacePath: cwd, addDirs = [] } = options;
  const { env, dropped } = childEnvironment({ ...options, isolation, hostEnv, homePath, cwd, addDirs });
  if (dropped.length > 0) options.log?.warn('isolation.path_entries_dropped', { entries: dropped });
  const settings = buildSettings({
    isolation,
    outsideWorkspacePaths: options.outsideWorkspacePaths ?? 'deny',
    homePath,
    childEnv: env,
    proxyPort: options.proxyPort,
    cwd,
    workingDirectory: cwd ?? workingDirectory('cwd'),
    addDirs,
    tempRoot: options.tempRoot,
    prefix: options.prefix,
    hostHome,
    hostConfigDir: hostEnv.CLAUDE_CONFIG_DIR,
    realPath: lenientRealPath,
    log: options.log,
  });
  return { env, settings };
}

/** Unknown fields are allowed: the caller's object may have more of them. */
function checkOptions(options: EphemeralHomeOptions): void {
  const read = readFields(options, 'options', Object.keys(Object(options)));
  for (const name of ['workspacePath', 'tempRoot', 'hostHome'] as const) read.check(name, pathFault);
  read.check('addDirs', (value) => (Array.isArray(value) ? undefined : 'must be a list'));
  read.list('addDirs', pathFault);
  read.check('prefix', (value) => (typeof value === 'string' ? undefined : 'must be a string'));
  read.check('proxyPort', (value) => (Number.isSafeInteger(value) ? undefined : 'must be a whole number'));
  read.check('hostEnv', (value) => (isJsonObject(value) ? undefined : 'must be an object'));
  read.check('log', havingMethod('warn', 'a logger'));
}

const pathFault = (value: unknown): string | undefined =>
  typeof value === 'string' && !value.includes('\0') ? undefined : 'must be a path';

/** The sweep finds folders by their prefix. */
function checkedPrefix(prefix: string): string {
  if (/^[\w.-]+$/.test(prefix)) return prefix;
  throw new AdapterConfigError(
    `\`prefix\` must be made of letters, digits, \`.\`, \`_\` and \`-\`, not ${JSON.stringify(prefix)}`,
    ['prefix'],
  );
}

function requireShortPath(tmpDir: string, { sandbox }: ResolvedIsolation, platform: string): void {
  const bytes = Buffer.byteLength(tmpDir);
  if (platform !== 'linux' || !sandbox.required || bytes <= MAX_TMP_DIR_BYTES) return;
  throw new AdapterConfigError(
    `The sandbox cannot start: it makes Unix sockets in ${JSON.stringify(tmpDir)}, whose path has ${bytes} bytes and may have ${MAX_TMP_DIR_BYTES}`,
    ['tempRoot'],
    { hint: 'Set TMPDIR, or `tempRoot`, to a directory with a shorter path.' },
  );
}
