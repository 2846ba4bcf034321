import { lstat, mkdir, stat } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import { codeOf } from '../../util/error-code.js';
import { AdapterConfigError } from '../errors/adapter-error.js';
import type { Log } from '../logging/log.js';
import { movedHomes } from './environment.js';
import { EphemeralHome, type EphemeralHomeOptions } from './ephemeral-home.js';
import type { ResolvedIsolation } from './isolation-config.js';
import { isInside, lenientRealPath } from './path-trust.js';
import type { PolicyProxy, PolicyProxyOptions } from './proxy/policy-proxy.js';

type HomePlace = Pick<EphemeralHomeOptions, 'outsideWorkspacePaths' | 'prefix' | 'tempRoot' | 'hostHome'>;

export interface PrepareIsolationInput extends HomePlace {
  readonly isolation: ResolvedIsolation;
  /** The chosen working directory, against which relative paths are resolved. */
  readonly cwd: string | undefined;
  readonly addDirs: readonly string[];
  readonly platform: string;
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  /** @defaultValue the policy proxy of this package */
  readonly startProxy?: ((options: PolicyProxyOptions) => Promise<PolicyProxy>) | undefined;
}

/** Everything a run needs to start isolated. Exists until `cleanup()`. */
export interface IsolatedRun {
  readonly home: EphemeralHome;
  /** Set when the policy proxy limits ports. */
  readonly proxy: PolicyProxy | undefined;
  /** Stops the proxy and removes the home. Call it when the child has exited. Safe to call twice, never rejects. */
  cleanup(): Promise<void>;
}

/**
 * Makes the home, the settings file, missing writable paths and, when ports are limited, the proxy.
 * @throws {@link AdapterConfigError} a path is invalid, or something cannot be made. Then nothing is left behind.
 */
export async function prepareIsolation(input: PrepareIsolationInput): Promise<IsolatedRun> {
  const { isolation, cwd, log } = input;
  const moved = movedHomes(input);
  if (moved.length > 0) log.warn('isolation.home_overridden', { names: moved });
  const proxy = needsProxy(isolation) ? await startProxy(input) : undefined;
  let home: EphemeralHome | undefined;
  const cleanup = async (): Promise<void> => {
    await Promise.allSettled([proxy?.close(), home?.cleanup()]);
  };
  try {
    home = await EphemeralHome.create(isolation, { ...input, workspacePath: cwd, proxyPort: proxy?.port });
    await makeWritablePaths(isolation.sandbox.writablePaths, cwd);
    return { home, proxy, cleanup };
  } catch (error) {
    await cleanup();
    throw error;
  }
}

/** No proxy for `[]`, where the domain list closes everything, and for `null`, which limits nothing. */
function needsProxy({ networkPolicy, portEnforcement }: ResolvedIsolation): boolean {
  return portEnforcement === 'proxy' && (networkPolicy.allowedPorts?.length ?? 0) > 0;
}

async function startProxy(input: PrepareIsolationInput): Promise<PolicyProxy> {
  try {
    const start = input.startProxy ?? (await import('./proxy/policy-proxy.js')).startPolicyProxy;
    return await start({ policy: input.isolation.networkPolicy });
  } catch (cause) {
    throw new AdapterConfigError(
      'The proxy that limits ports cannot listen on the loopback',
      ['isolation.networkPolicy.allowedPorts'],
      { hint: "Free a port of 127.0.0.1, or leave the ports to the hook: `portEnforcement: 'hook'`.", cause },
    );
  }
}

const FIELD = 'isolation.sandbox.writablePaths';

/**
 * Creates missing relative paths. The CLI ignores a writable path that does not exist, and refuses writes through a
 * link out of the working directory.
 * @throws {@link AdapterConfigError} an absolute path is missing, or a relative one leads elsewhere by a link.
 */
async function makeWritablePaths(paths: readonly string[], cwd: string | undefined): Promise<void> {
  for (const path of paths) {
    if (isAbsolute(path)) await requirePath(path);
    // Without a working directory, the settings refused a relative path already.
    else if (cwd !== undefined) await makePath(path, cwd);
  }
}

async function requirePath(path: string): Promise<void> {
  try {
    await stat(path);
  } catch (cause) {
    throw refused(path, 'which does not exist', 'Make it, or give a relative path, which is made.', cause);
  }
}

async function makePath(path: string, cwd: string): Promise<void> {
  const target = resolve(cwd, path);
  // A path may name the outside openly, but not lead there by a link.
  if (isInside(target, resolve(cwd)) && !isInside(lenientRealPath(target), lenientRealPath(cwd))) {
    throw refused(path, 'which leads out of the working directory by a link', 'Name the target.');
  }
  try {
    await lstat(target).catch(() => mkdir(target, { recursive: true }));
    await stat(target);
  } catch (cause) {
    throw refused(path, `which cannot be made (${codeOf(cause) ?? 'unknown'})`, 'Make it.', cause);
  }
}

function refused(path: string, what: string, hint: string, cause?: unknown): AdapterConfigError {
  return new AdapterConfigError(`\`${FIELD}\` has ${JSON.stringify(path)}, ${what}`, [FIELD], {
    hint,
    ...(cause === undefined ? {} : { cause }),
  });
}
