import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { codeOf } from '../../util/error-code.js';
import { onHostExit } from '../../util/host-exit.js';
import { homeDirectory, workingDirectory } from '../../util/host-places.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import { removeTreeSync } from '../../util/remove-tree.js';
import { livingDirectories, ownDirectoryPrefix } from '../../util/stale-directories.js';
import { AdapterConfigError } from '../errors/config-errors.js';
import type { Log } from '../logging/log.js';
import { havingMethod, madeByCreate, readFields } from '../options/read-fields.js';
import { childEnvironment } from './environment.js';
import {
  type IsolationConfig,
  type ResolvedIsolation,
  resolveIsolation,
} from './isolation-config.js';
import { lenientRealPath, requireOwnPlace } from './path-trust.js';
import { recordAbsent, removePlaceholders } from './placeholders.js';
import { finishHome, sweepHomes } from './remove-homes.js';
import { guardSandbox } from './sandbox-guard.js';
import { buildSettings } from './settings.js';

export interface EphemeralHomeOptions {
  /** The child's working directory; relative paths are resolved against it. The home does not hold it. */
  readonly workspacePath?: string | undefined;
  readonly addDirs?: readonly string[] | undefined;
  /** @defaultValue `'deny'` */
  readonly outsideWorkspacePaths?: 'allow' | 'deny' | undefined;
  /** How the folder's name begins: letters, digits, `.`, `_` and `-`. @defaultValue `'claude-agent-'` */
  readonly prefix?: string | undefined;
  /** Port of our own proxy, when it limits ports. */
  readonly proxyPort?: number | undefined;
  /** Folder that the home is made in. @defaultValue the system's temporary directory */
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
/** A Unix socket's path has 107 bytes at most on Linux, and the CLI's sandbox makes `claude-socks-<16 digits>.sock`. */
const MAX_TMP_DIR_BYTES = 107 - '/claude-socks-0123456789abcdef.sock'.length;

/** Removes the home of an object that nobody cleaned up. The path alone is held, so that the object can go. */
const forgotten = new FinalizationRegistry<{ readonly path: string; readonly forget: () => void }>(
  ({ path, forget }) => {
    // Nobody is left to be told.
    finishHome(path, forget).catch(() => {});
  },
);

/**
 * A home for one run: the CLI's configuration folder with the settings file, and its temporary directory. Only this user may
 * enter it. It goes with `cleanup()`, at the end of `await using`, when the host exits, and when the object is forgotten; one
 * that a killed host left goes when the next home is made beside it. Empty placeholders that a killed CLI left in the working
 * directories go with it.
 */
export class EphemeralHome implements AsyncDisposable {
  /** Said here because the class names itself inside, and the bundler renames such ones. */
  static readonly name = 'EphemeralHome';
  readonly homePath: string;
  /** `<home>/.claude` */
  readonly claudeDir: string;
  /** `<home>/tmp` */
  readonly tmpDir: string;
  /** `<home>/.claude/settings.json` */
  readonly settingsPath: string;
  /** What the settings file holds. */
  readonly settings: JsonObject;
  readonly #env: Readonly<Record<string, string>>;
  readonly #log: Log | undefined;
  /** Homes of runs that go on, this one left out. */
  readonly #beside: () => Promise<readonly string[]>;
  readonly #forget: () => void;
  #removal: Promise<void> | undefined;

  private constructor(
    paths: HomePaths,
    parts: { readonly env: Readonly<Record<string, string>>; readonly settings: JsonObject },
    family: HomeFamily,
  ) {
    if (family?.prefix === undefined) throw madeByCreate('EphemeralHome.create(isolation)');
    const { tempRoot, prefix, log } = family;
    const path = paths.homePath;
    this.homePath = path;
    this.claudeDir = paths.claudeDir;
    this.tmpDir = paths.tmpDir;
    this.settingsPath = paths.settingsPath;
    this.settings = parts.settings;
    this.#env = parts.env;
    this.#log = log;
    this.#beside = () => besides(path, tempRoot, prefix);
    this.#forget = onHostExit(() => removeTreeSync(path));
    forgotten.register(this, { path, forget: this.#forget }, this);
  }

  /**
   * Makes a home, and removes those beside it whose owner is gone.
   *
   * @throws {@link AdapterConfigError} a value that cannot be used, or a temporary directory that cannot. Nothing is left then.
   */
  static async create(
    isolation: IsolationConfig | ResolvedIsolation = {},
    options: EphemeralHomeOptions = {},
  ): Promise<EphemeralHome> {
    checkOptions(options);
    const {
      platform = process.platform,
      log,
      tempRoot = tmpdir(),
      prefix = DEFAULT_PREFIX,
    } = options;
    const resolved = resolveIsolation(isolation, platform);
    requireOwnPlace(tempRoot, resolved.sandbox.writablePaths, options);
    const swept = sweepHomes(tempRoot, checkedPrefix(prefix));
    const paths = await makeFolder(tempRoot, prefix);
    try {
      requireShortPath(paths.tmpDir, resolved, platform);
      const parts = contentOf(resolved, paths.homePath, { ...options, platform, tempRoot, prefix });
      await mkdir(paths.claudeDir, { mode: 0o700 });
      await mkdir(paths.tmpDir, { mode: 0o700 });
      const env = resolved.sandbox.enabled
        ? guardSandbox(parts.env, paths.homePath, platform)
        : parts.env;
      const text = `${JSON.stringify(parts.settings, null, 2)}\n`;
      await writeFile(paths.settingsPath, text, { mode: 0o600, flag: 'wx' });
      await swept;
      if (resolved.sandbox.enabled && platform === 'linux') {
        const { workspacePath = workingDirectory('workspacePath'), addDirs = [] } = options;
        const beside = await besides(paths.homePath, tempRoot, prefix);
        await recordAbsent(paths.homePath, [workspacePath, ...addDirs], beside);
      }
      log?.debug('isolation.home_created', { path: paths.homePath, platform });
      return new EphemeralHome(paths, { ...parts, env }, { tempRoot, prefix, log });
    } catch (error) {
      // What stays is tried again; the caller is to hear of the first error.
      await finishHome(paths.homePath).catch(() => {});
      throw error;
    }
  }

  /** The child's whole environment. */
  getEnv(): Readonly<Record<string, string>> {
    return { ...this.#env };
  }

  /** None: the settings file is passed by its path. */
  getSettingSources(): [] {
    return [];
  }

  /** Removes the home, and on Linux ends what still runs in it. Call when the child has exited. Safe to call twice; what cannot be removed is logged and tried again: soon, when the next home is made, and when the host exits. */
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

interface HomeFamily {
  readonly tempRoot: string;
  readonly prefix: string;
  readonly log: Log | undefined;
}

async function besides(
  homePath: string,
  tempRoot: string,
  prefix: string,
): Promise<readonly string[]> {
  return (await livingDirectories(tempRoot, prefix)).filter((path) => path !== homePath);
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
      { hint: 'Set TMPDIR, or `tempRoot`, to a directory that can be written.', cause },
    );
  }
}

function contentOf(
  isolation: ResolvedIsolation,
  homePath: string,
  options: EphemeralHomeOptions & {
    readonly platform: string;
    readonly tempRoot: string;
    readonly prefix: string;
  },
): { readonly env: Readonly<Record<string, string>>; readonly settings: JsonObject } {
  const {
    hostEnv = process.env,
    hostHome = homeDirectory(),
    workspacePath: cwd,
    addDirs = [],
  } = options;
  const { env, dropped } = childEnvironment({
    ...options,
    isolation,
    hostEnv,
    homePath,
    cwd,
    addDirs,
  });
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

/** A field that is not known is no error: the caller's object may carry more. */
function checkOptions(options: EphemeralHomeOptions): void {
  const read = readFields(options, 'options', Object.keys(Object(options)));
  for (const name of ['workspacePath', 'tempRoot', 'hostHome'] as const)
    read.check(name, pathFault);
  read.check('addDirs', (value) => (Array.isArray(value) ? undefined : 'must be a list'));
  read.list('addDirs', pathFault);
  read.check('prefix', (value) => (typeof value === 'string' ? undefined : 'must be a string'));
  read.check('proxyPort', (value) =>
    Number.isSafeInteger(value) ? undefined : 'must be a whole number',
  );
  read.check('hostEnv', (value) => (isJsonObject(value) ? undefined : 'must be an object'));
  read.check('log', havingMethod('warn', 'a logger'));
}

const pathFault = (value: unknown): string | undefined =>
  typeof value === 'string' && !value.includes('\0') ? undefined : 'must be a path';

/** The reaper takes folders by it. */
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
