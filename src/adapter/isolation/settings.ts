import { isAbsolute, join, relative, resolve } from 'node:path';
import type { JsonObject } from '../../util/json.js';
import { AdapterConfigError } from '../errors/adapter-error.js';
import type { Log } from '../logging/log.js';
import { isCredential } from './environment.js';
import type { ResolvedIsolation } from './isolation-config.js';
import { isInside } from './path-trust.js';

export interface SettingsInput {
  readonly isolation: ResolvedIsolation;
  readonly outsideWorkspacePaths: 'allow' | 'deny';
  readonly homePath: string;
  /** The child's whole environment. */
  readonly childEnv: Readonly<Record<string, string>>;
  /** Port of the policy proxy, when there is one. */
  readonly proxyPort?: number | undefined;
  /** The chosen working directory, against which relative paths are resolved. */
  readonly cwd: string | undefined;
  /** The actual working directory. @defaultValue `cwd` */
  readonly workingDirectory?: string | undefined;
  readonly addDirs: readonly string[];
  /** The folder of all homes, and the prefix of their names. */
  readonly tempRoot: string;
  readonly prefix: string;
  readonly hostHome: string;
  /** The host's `CLAUDE_CONFIG_DIR`. */
  readonly hostConfigDir: string | undefined;
  /** Resolves links. @defaultValue the path stays as it is */
  readonly realPath?: ((path: string) => string) | undefined;
  /** Warns when commands may read the host's home because they work there. */
  readonly log?: Log | undefined;
}

/** Keep the file tools inside the working directories, in every permission mode. */
const BLOCK_KEYS = { blockReadsOutsideWorkingDirectories: true, blockWritesOutsideWorkingDirectories: true };

/**
 * The settings file of an isolated run, made of keys that the CLI's settings schema documents. Pure.
 * @throws {@link AdapterConfigError} a path is invalid.
 */
export function buildSettings(input: SettingsInput): JsonObject {
  const { isolation, outsideWorkspacePaths, childEnv } = input;
  const { networkPolicy, sandbox } = isolation;
  const paths = sandboxPaths(input);
  if (paths.openHome !== undefined) input.log?.warn('isolation.home_readable', { path: paths.openHome });
  const domains = networkPolicy.effectiveDomains;
  const credentials = Object.keys(childEnv)
    .filter((name) => isCredential(name) && !sandbox.exposeEnv.includes(name))
    .sort();
  return present({
    permissions: present({
      ...(outsideWorkspacePaths === 'deny' ? BLOCK_KEYS : {}),
      deny: domains.length === 0 ? ['WebFetch', 'WebSearch'] : undefined,
    }),
    skipWebFetchPreflight: isolation.skipWebFetchPreflight || undefined,
    sandbox: present({
      enabled: sandbox.enabled,
      autoAllowBashIfSandboxed: sandbox.bashAutoAllow,
      // Always written: the CLI's default is true, which lets commands leave the sandbox.
      allowUnsandboxedCommands: sandbox.allowUnsandboxedCommands,
      failIfUnavailable: sandbox.required || undefined,
      excludedCommands: filled(sandbox.excludedCommands.map(asPattern)),
      filesystem: present({
        allowWrite: filled(paths.allowWrite),
        denyRead: filled(paths.denyRead),
        allowRead: filled(paths.allowRead),
      }),
      credentials:
        credentials.length === 0 ? undefined : { envVars: credentials.map((name) => ({ name, mode: 'deny' })) },
      network: networkSettings(isolation, domains, input.proxyPort),
    }),
  }) as JsonObject;
}

/** Settings of a run without isolation. `undefined` when there are none. */
export function buildInlineSettings(config: {
  readonly sandbox?: Readonly<JsonObject> | undefined;
  readonly outsideWorkspacePaths?: 'allow' | 'deny' | undefined;
}): JsonObject | undefined {
  return present({
    permissions: config.outsideWorkspacePaths === 'deny' ? { ...BLOCK_KEYS } : undefined,
    sandbox: config.sandbox === undefined ? undefined : { ...config.sandbox },
  });
}

function networkSettings(
  { networkPolicy: { allowLocalhost, allowUnixSockets } }: ResolvedIsolation,
  domains: readonly string[],
  proxyPort: number | undefined,
): JsonObject | undefined {
  return present({
    allowedDomains: [...domains],
    // Without it, bypass mode reaches every host.
    strictAllowlist: true,
    allowLocalBinding: allowLocalhost || undefined,
    allowUnixSockets: typeof allowUnixSockets === 'object' ? [...allowUnixSockets] : undefined,
    allowAllUnixSockets: allowUnixSockets === true || undefined,
    // Both: for a missing one the CLI runs its own proxy, which does not limit ports.
    httpProxyPort: proxyPort,
    socksProxyPort: proxyPort,
  });
}

/** A bare name would only match the call without arguments. */
function asPattern(command: string): string {
  const name = command.trim();
  return /[\s:*]/.test(name) ? name : `${name}:*`;
}

function filled(list: readonly string[]): string[] | undefined {
  return list.length === 0 ? undefined : [...list];
}

/** Drops keys without a value. `undefined` when none is left. */
function present(fields: JsonObject): JsonObject | undefined {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

interface SandboxPaths {
  readonly allowWrite: readonly string[];
  readonly denyRead: readonly string[];
  readonly allowRead: readonly string[];
  /** The host's home, if it is a working directory and therefore readable. */
  readonly openHome: string | undefined;
}

/**
 * The paths that shell commands may write and read. The more specific of two entries wins, and of two equal ones the
 * allowing one (observed). So a denied file in a re-opened working directory stays denied.
 * @throws {@link AdapterConfigError} a path cannot be resolved, or two entries contradict each other.
 */
function sandboxPaths(input: SettingsInput): SandboxPaths {
  const { isolation, cwd, workingDirectory = cwd, addDirs, homePath, prefix, realPath = (path) => path } = input;
  const { sandbox } = isolation;
  const resolved = (name: 'writablePaths' | 'readablePaths' | 'denyRead'): string[] =>
    sandbox[name].map((path) => resolvePath(path, cwd, `isolation.sandbox.${name}`));
  const allowWrite = resolved('writablePaths');
  if (!sandbox.enabled) return { allowWrite, denyRead: [], allowRead: [], openHome: undefined };

  const readable = resolved('readablePaths');
  const denied = resolved('denyRead');
  const isSame = (a: string, b: string): boolean => realPath(a) === realPath(b);
  const isBelow = (path: string, parent: string): boolean => isInside(realPath(path), realPath(parent));
  const working = [workingDirectory ?? [], addDirs].flat().map((path) => resolve(path));
  for (const path of denied) {
    if ([...working, ...readable].some((other) => isSame(other, path))) throw contradiction(path);
  }
  const home = resolve(input.hostHome);
  const openHome = isRoot(home) || working.some((path) => isSame(path, home)) ? home : undefined;
  const hidden = [
    // The CLI's own files, for a home that cannot be hidden as a whole.
    ...(openHome === undefined ? [home] : [join(home, '.claude'), join(home, '.claude.json')]),
    ...(input.hostConfigDir ? [resolve(input.hostConfigDir)] : []),
  ].filter((path) => !isRoot(path) && !working.some((other) => isSame(path, other)));
  const tempRoot = realPath(input.tempRoot);
  const homes = join(tempRoot, `${prefix}*`);
  const denyRead = unique([...hidden, ...denied, homes]);
  const reopened = [...working, ...allowWrite].filter(
    (path) => denyRead.some((parent) => isBelow(path, parent)) || isInHomes(realPath(path), tempRoot, prefix),
  );
  return { allowWrite, denyRead, allowRead: unique([join(homePath, 'tmp'), ...reopened, ...readable]), openHome };
}

function resolvePath(path: string, cwd: string | undefined, where: string): string {
  if (path === '~' || path.startsWith('~/')) {
    throw new AdapterConfigError(`\`${where}\` has ${JSON.stringify(path)}, and ~ is not expanded`, [where], {
      hint: 'Give the absolute path, with os.homedir().',
    });
  }
  if (isAbsolute(path)) return resolve(path);
  if (cwd === undefined) {
    throw new AdapterConfigError(
      `\`${where}\` has the relative path ${JSON.stringify(path)}, and there is no working directory to resolve it against`,
      [where],
      { hint: 'Give `clientConfig.cwd`, a workspace, or an absolute path.' },
    );
  }
  return resolve(cwd, path);
}

function contradiction(path: string): AdapterConfigError {
  return new AdapterConfigError(
    `\`isolation.sandbox.denyRead\` names ${JSON.stringify(path)}, which is a working directory or one of \`readablePaths\``,
    ['isolation.sandbox.denyRead'],
    { hint: 'Deny a path below it, or take it out of the other list.' },
  );
}

/** Whether a path is, or is in, one of the homes. Without links. */
function isInHomes(path: string, tempRoot: string, prefix: string): boolean {
  return isInside(path, tempRoot) && relative(tempRoot, path).startsWith(prefix);
}

const isRoot = (path: string): boolean => resolve(path, '..') === path;

const unique = (paths: readonly string[]): string[] => [...new Set(paths)];
