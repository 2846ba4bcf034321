import type { JsonObject } from '../../util/json.js';
import { AdapterConfigError } from '../errors/adapter-error.js';
import type { Log } from '../logging/log.js';
import { movedHomes } from './environment.js';
import { EphemeralHome } from './ephemeral-home.js';
import type { ResolvedIsolation } from './isolation-config.js';
import type { PolicyProxy, PolicyProxyOptions } from './proxy/policy-proxy.js';
import { makeWritablePaths } from './sandbox-paths.js';

export interface PrepareIsolationInput {
  readonly isolation: ResolvedIsolation;
  /** The chosen working directory, against which relative paths are resolved. */
  readonly cwd: string | undefined;
  readonly addDirs: readonly string[];
  readonly outsideWorkspacePaths: 'allow' | 'deny';
  readonly platform: string;
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
  readonly hostHome: string;
  /** The folder for the home. @defaultValue the system's temporary directory */
  readonly tempRoot?: string | undefined;
  /** Prefix of the home's name. @defaultValue `'claude-agent-'` */
  readonly prefix?: string | undefined;
  readonly log: Log;
  /** @defaultValue the policy proxy of this package */
  readonly startProxy?: ((options: PolicyProxyOptions) => Promise<PolicyProxy>) | undefined;
}

/** Everything a run needs to start isolated. Exists until `cleanup()`. */
export interface IsolatedRun {
  /** The child's whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Path of the settings file, for the CLI's settings argument. */
  readonly settingsPath: string;
  /** The content of that file. */
  readonly settings: JsonObject;
  readonly home: EphemeralHome;
  /** Set when the policy proxy limits ports. */
  readonly proxy: PolicyProxy | undefined;
  /** Stops the proxy and removes the home. Call it when the child has exited. Safe to call twice, never rejects. */
  cleanup(): Promise<void>;
}

/**
 * Makes the home, the settings file, missing writable paths and, when ports are limited, the proxy.
 *
 * @throws {@link AdapterConfigError} a path is invalid, or something cannot be made. Then nothing is left behind.
 */
export async function prepareIsolation(input: PrepareIsolationInput): Promise<IsolatedRun> {
  const { isolation, log } = input;
  warnOfOpenings(input);
  const proxy = needsProxy(isolation) ? await startProxy(input) : undefined;
  let home: EphemeralHome | undefined;
  try {
    home = await EphemeralHome.create(isolation, { ...input, workspacePath: input.cwd, proxyPort: proxy?.port, log });
    await makeWritablePaths(isolation.sandbox.writablePaths, input.cwd);
    return isolatedRun(home, proxy);
  } catch (error) {
    await Promise.allSettled([proxy?.close(), home?.cleanup()]);
    throw error;
  }
}

function isolatedRun(home: EphemeralHome, proxy: PolicyProxy | undefined): IsolatedRun {
  const { settings, settingsPath } = home;
  return {
    env: home.getEnv(),
    settings,
    settingsPath,
    home,
    proxy,
    cleanup: async () => {
      await Promise.allSettled([proxy?.close(), home.cleanup()]);
    },
  };
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

function warnOfOpenings(input: PrepareIsolationInput): void {
  const moved = movedHomes(input);
  if (moved.length > 0) input.log.warn('isolation.home_overridden', { names: moved });
}
