import { join } from 'node:path';
import type { JsonObject } from '../../util/json.js';
import type { Log } from '../logging/log.js';
import { isCredential } from './environment.js';
import type { ResolvedIsolation } from './isolation-config.js';
import { type SandboxPathsInput, sandboxPaths } from './sandbox-paths.js';

export interface SettingsInput extends Omit<SandboxPathsInput, 'sandbox' | 'tmpDir'> {
  readonly isolation: ResolvedIsolation;
  readonly outsideWorkspacePaths: 'allow' | 'deny';
  readonly homePath: string;
  /** The child's whole environment. */
  readonly childEnv: Readonly<Record<string, string>>;
  /** Port of the policy proxy, when there is one. */
  readonly proxyPort?: number | undefined;
  /** Warns when commands may read the host's home because they work there. */
  readonly log?: Log | undefined;
}

/** Keep the file tools inside the working directories, in every permission mode. */
const BLOCK_KEYS = { blockReadsOutsideWorkingDirectories: true, blockWritesOutsideWorkingDirectories: true };

/**
 * The settings file of an isolated run, made of keys that the CLI's settings schema documents. Pure.
 *
 * @throws {@link AdapterConfigError} a path is invalid.
 */
export function buildSettings(input: SettingsInput): JsonObject {
  const { isolation, outsideWorkspacePaths, homePath, childEnv } = input;
  const { networkPolicy, sandbox } = isolation;
  const paths = sandboxPaths({ ...input, sandbox, tmpDir: join(homePath, 'tmp') });
  if (paths.openHome !== undefined) {
    input.log?.warn('isolation.home_readable', { path: paths.openHome });
  }
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
