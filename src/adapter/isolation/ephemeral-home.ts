import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { codeOf } from '../../util/error-code.js';
import { onHostExit } from '../../util/host-exit.js';
import { homeDirectory, workingDirectory } from '../../util/host-places.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import { livingDirectories, ownDirectoryPrefix } from '../../util/stale-directories.js';
import { arrayOf, custom, string } from '../../util/validate.js';
import { AdapterConfigError } from '../errors/adapter-error.js';
import type { Log } from '../logging/log.js';
import { checkFields, havingMethods, madeByCreate } from '../options/read-fields.js';
import { childEnvironment } from './environment.js';
import { type IsolationConfig, type ResolvedIsolation, resolveIsolation } from './isolation-config.js';
import { assertPrivateTempRoot, lenientRealPath } from './path-trust.js';
import { recordAbsent, removePlaceholders } from './placeholders.js';
import { finishHome, removeHomeAtExit, sweepHomes } from './remove-homes.js';
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
const forgotten = new FinalizationRegistry<{
  readonly path: string;
  readonly beside: () => Promise<readonly string[]>;
  readonly forget: () => void;
}>(({ path, beside, forget }) => {
  finishHome(path, forget)
    // Last: the CLI may have been running a command, which needs its placeholders.
    .then(async () => removePlaceholders(path, await beside()))
    // Failures are ignored: the run is over.
    .catch(() => {});
});

/**
 * A home for one run: the CLI's configuration folder with the settings file, and its temporary directory. Only this
 * user can enter it. It is removed by `cleanup()`, at the end of `await using`, when the host exits and when the object
 * is collected. The next home in the same folder removes those of killed hosts. Empty placeholders that a killed CLI
 * left in the working directories are removed with the home.
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
    this.#forget = onHostExit(() => removeHomeAtExit(path));
    forgotten.register(this, { path, beside: this.#beside, forget: this.#forget }, this);
  }

  /**
   * Makes a home, and removes those in the same folder whose owner is gone.
   * @throws {@link AdapterConfigError} an invalid value, or an unusable temporary directory. Then nothing is left
   *   behind.
   */
  static async create(
    isolation: IsolationConfig | ResolvedIsolation = {},
    options: EphemeralHomeOptions = {},
  ): Promise<EphemeralHome> {
    // Unknown fields are allowed: the caller's object may have more of them.
    checkFields(options, 'options', OPTIONS, [], Object.keys(Object(options)));
    const { platform = process.platform, hostEnv = process.env, hostHome = homeDirectory(), log } = options;
    const { workspacePath: cwd, addDirs = [], prefix = DEFAULT_PREFIX } = options;
    // Whatever becomes of the working directory: the CLI has one of its own.
    const tempRoot = resolve(options.tempRoot ?? tmpdir());
    const { outsideWorkspacePaths = 'deny', proxyPort } = options;
    const resolved = resolveIsolation(isolation, platform);
    const { enabled, writablePaths } = resolved.sandbox;
    assertPrivateTempRoot(tempRoot, { cwd, addDirs, writablePaths });
    const swept = sweepHomes(tempRoot, checkedPrefix(prefix));
    const paths = await makeFolder(tempRoot, prefix);
    const { homePath, claudeDir, tmpDir, settingsPath } = paths;
    const beside = async (): Promise<readonly string[]> =>
      (await livingDirectories(tempRoot, prefix)).filter((path) => path !== homePath);
    try {
      requireShortPath(tmpDir, resolved, platform);
      const places = { isolation: resolved, homePath, cwd, addDirs, tempRoot, prefix, platform, hostEnv };
      const { env: childEnv, dropped } = childEnvironment(places);
      if (dropped.length > 0) log?.warn('isolation.path_entries_dropped', { entries: dropped });
      const settings = buildSettings({
        ...places,
        ...{ childEnv, outsideWorkspacePaths, proxyPort, hostHome, log },
        workingDirectory: cwd ?? workingDirectory('cwd'),
        hostConfigDir: hostEnv.CLAUDE_CONFIG_DIR,
        realPath: lenientRealPath,
      });
      await mkdir(claudeDir, { mode: 0o700 });
      await mkdir(tmpDir, { mode: 0o700 });
      const env = enabled ? guardSandbox(childEnv, homePath, platform) : childEnv;
      await writeFile(settingsPath, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
      await swept;
      if (enabled && platform === 'linux') {
        await recordAbsent(homePath, [cwd ?? workingDirectory('workspacePath'), ...addDirs], await beside());
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
   * Removes the home, and on Linux ends the processes that still run in it. Call it when the child has exited; safe to
   * call twice. A failure is logged, and the removal is tried again: soon, with the next home, and when the host exits.
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

type HomePaths = Pick<EphemeralHome, 'homePath' | 'claudeDir' | 'tmpDir' | 'settingsPath'>;

interface HomeContents extends Pick<EphemeralHome, 'settings'> {
  readonly paths: HomePaths;
  readonly env: Readonly<Record<string, string>>;
  readonly beside: () => Promise<readonly string[]>;
  readonly log: Log | undefined;
}

async function makeFolder(tempRoot: string, prefix: string): Promise<HomePaths> {
  try {
    const homePath = await mkdtemp(join(tempRoot, ownDirectoryPrefix(prefix)));
    const claudeDir = join(homePath, '.claude');
    return { homePath, claudeDir, tmpDir: join(homePath, 'tmp'), settingsPath: join(claudeDir, 'settings.json') };
  } catch (cause) {
    throw new AdapterConfigError(
      `No home can be made in the temporary directory ${JSON.stringify(tempRoot)} (${codeOf(cause) ?? 'unknown'})`,
      ['tempRoot'],
      { hint: 'Set TMPDIR, or `tempRoot`, to a writable directory.', cause },
    );
  }
}

const placeName = custom('a path', (value) => typeof value === 'string' && !value.includes('\0'));
const OPTIONS = {
  workspacePath: placeName,
  tempRoot: placeName,
  hostHome: placeName,
  addDirs: arrayOf(placeName),
  prefix: string,
  proxyPort: custom('a whole number', Number.isSafeInteger),
  hostEnv: custom('an object', isJsonObject),
  log: havingMethods('a logger', 'warn'),
};

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
