import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isSecretName } from '../logging/redact.js';
import type { ResolvedIsolation } from './isolation-config.js';
import { trustedEntry } from './path-trust.js';

interface EnvironmentInput {
  readonly isolation: ResolvedIsolation;
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  /** The child's home. @defaultValue none yet, `/` */
  readonly homePath?: string | undefined;
}

interface ChildEnvironmentInput extends EnvironmentInput {
  /** The child's working directory. @defaultValue the host's */
  readonly cwd: string | undefined;
  readonly addDirs: readonly string[];
  /** @defaultValue the system's temporary directory */
  readonly tempRoot: string | undefined;
  /** Prefix of the homes' names. */
  readonly prefix: string;
}

/**
 * The child's whole environment on this machine, and the entries that were dropped from its `PATH`: the model could
 * change what they name, and the CLI takes the sandbox's programs from there.
 */
export function childEnvironment(input: ChildEnvironmentInput): {
  readonly env: Readonly<Record<string, string>>;
  readonly dropped: readonly string[];
} {
  const { isolation, hostEnv, cwd, addDirs, prefix, tempRoot = tmpdir() } = input;
  // Commands can write in the temporary directory, also when a variable moves it.
  const passed = isolation.passEnv.includes('TMPDIR') ? hostEnv.TMPDIR : undefined;
  const tempDirs = [passed, isolation.env.TMPDIR].filter((path) => path !== undefined);
  const writablePaths = [...isolation.sandbox.writablePaths, ...tempDirs];
  const isTrusted = trustedEntry({ cwd, addDirs, writablePaths }, { tempRoot, prefix });
  const dropped: string[] = [];
  const env = buildEnvironment(input, (entry) => {
    const isKept = isTrusted(entry);
    if (!isKept) dropped.push(entry);
    return isKept;
  });
  return { env, dropped };
}

const PREFIXES = ['HOME', 'CLAUDE_', 'ANTHROPIC_', 'AWS_', 'GOOGLE_', 'AZURE_', 'OPENAI_'];
/** Whole words that make a name that of a credential, so `TOKEN_PATH` too. */
const CREDENTIAL = /(?:^|[^a-z0-9])(?:token|secret|password|credentials?|api_key|access_key|private_key)(?![a-z0-9])/i;
/** Without these the CLI cannot start its own helpers. */
const ALWAYS = ['PATH'];
const ALWAYS_ON_WINDOWS = ['PATH', 'SystemRoot', 'ComSpec', 'PATHEXT'];
/** Variables that decide where the CLI keeps its files. */
const HOME_NAMES = ['HOME', 'USERPROFILE', 'CLAUDE_CONFIG_DIR', 'TMPDIR', 'TEMP', 'TMP'];

/** True for names of API keys, tokens and the like. All of the CLI's own credentials have such names. */
export function isCredential(name: string): boolean {
  return CREDENTIAL.test(name) || isSecretName(name);
}

/**
 * The child's whole environment, in this order: the host's filtered variables (only with `includeHostEnv`), the home,
 * the path, the key, `passEnv`, and `env`, which wins. Pure.
 * @param isTrusted - Whether an entry of the `PATH` may stay.
 */
export function buildEnvironment(
  { isolation, hostEnv, platform, homePath = '/' }: EnvironmentInput,
  isTrusted: (entry: string) => boolean = () => true,
): Readonly<Record<string, string>> {
  const isWindows = platform === 'win32';
  const host = new Variables(isWindows, hostEnv);
  const child = new Variables(isWindows);
  const copy = (names: readonly string[]): void => {
    for (const name of names) child.set(name, host.get(name));
  };
  if (isolation.includeHostEnv) copy(host.names().filter((name) => !isPrivate(name, isWindows)));
  const temp = join(homePath, 'tmp');
  child.setAll(
    isWindows ? { HOME: homePath, USERPROFILE: homePath, TEMP: temp, TMP: temp } : { HOME: homePath, TMPDIR: temp },
  );
  copy(isWindows ? ALWAYS_ON_WINDOWS : ALWAYS);
  child.set('ANTHROPIC_API_KEY', isolation.apiKey ?? (host.get('ANTHROPIC_API_KEY') || undefined));
  copy(isolation.passEnv);
  child.setAll(isolation.env);
  const delimiter = isWindows ? ';' : ':';
  const entries = child.get('PATH')?.split(delimiter).filter(isTrusted) ?? [];
  if (entries.length > 0) child.set('PATH', entries.join(delimiter));
  // An empty one would mean the working directory.
  else child.delete('PATH');
  return child.toObject();
}

/** Names in `passEnv` and `env` that move the child's home or temporary directory. */
export function movedHomes({ isolation, hostEnv, platform }: EnvironmentInput): string[] {
  const isWindows = platform === 'win32';
  const host = new Variables(isWindows, hostEnv);
  const given = new Variables(isWindows);
  for (const name of isolation.passEnv) given.set(name, host.get(name));
  given.setAll(isolation.env);
  return HOME_NAMES.filter((name) => given.get(name) !== undefined);
}

function isPrivate(name: string, isWindows: boolean): boolean {
  const upper = isWindows ? name.toUpperCase() : name;
  return upper === 'CLAUDECODE' || PREFIXES.some((each) => upper.startsWith(each)) || isCredential(name);
}

/** Variables by name. For Windows, `Path` and `PATH` are the same. */
class Variables {
  readonly #keyOf: (name: string) => string;
  readonly #entries = new Map<string, readonly [name: string, value: string]>();

  constructor(ignoresCase: boolean, source: Readonly<Record<string, string | undefined>> = {}) {
    this.#keyOf = (name) => (ignoresCase ? name.toUpperCase() : name);
    this.setAll(source);
  }

  names(): readonly string[] {
    return [...this.#entries.values()].map(([name]) => name);
  }

  get(name: string): string | undefined {
    return this.#entries.get(this.#keyOf(name))?.[1];
  }

  /** Without a value nothing changes. */
  set(name: string, value: string | undefined): void {
    if (value !== undefined) this.#entries.set(this.#keyOf(name), [name, value]);
  }

  setAll(source: Readonly<Record<string, string | undefined>>): void {
    for (const [name, value] of Object.entries(source)) this.set(name, value);
  }

  delete(name: string): void {
    this.#entries.delete(this.#keyOf(name));
  }

  toObject(): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#entries.values());
  }
}

/**
 * Some releases of the CLI run `git status` when they start, and git then runs the file monitor that the repository's
 * own configuration names. These variables override every configuration file.
 */
export function withoutFileMonitor<Env extends Readonly<Record<string, string | undefined>>>(env: Env): Env {
  const count = Number(env.GIT_CONFIG_COUNT ?? 0);
  const at = Number.isSafeInteger(count) && count > 0 ? count : 0;
  return {
    ...env,
    GIT_CONFIG_COUNT: `${at + 1}`,
    [`GIT_CONFIG_KEY_${at}`]: 'core.fsmonitor',
    [`GIT_CONFIG_VALUE_${at}`]: 'false',
  };
}
