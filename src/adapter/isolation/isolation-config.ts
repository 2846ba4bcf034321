import { describeValue } from '../../util/describe-value.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import { AdapterConfigError } from '../errors/config-errors.js';
import { readFields, variableNameFault } from '../options/read-fields.js';
import {
  type NetworkPolicy,
  type NetworkPolicyOptions,
  toNetworkPolicy,
} from './network-policy.js';
import { type ResolvedSandbox, resolveSandbox, type SandboxConfig } from './sandbox-config.js';

/** What an isolated run is limited to. Every field may be left out: then tools reach no host and the sandbox is on. */
export interface IsolationConfig {
  /** @defaultValue `NetworkPolicy.noNetwork()` */
  readonly networkPolicy?: NetworkPolicy | NetworkPolicyOptions | undefined;
  readonly sandbox?: SandboxConfig | undefined;
  /** Variables of the CLI, last word over everything else. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Becomes `ANTHROPIC_API_KEY` of the CLI. Shell commands do not see it. @defaultValue the host's, when it has one */
  readonly apiKey?: string | undefined;
  /** Copies the host's variables, but for those that name an account, a home or a secret. @defaultValue `false` */
  readonly includeHostEnv?: boolean | undefined;
  /** Host variables to copy whatever their names say. @defaultValue `[]` */
  readonly passEnv?: readonly string[] | undefined;
  /**
   * Who limits ports, when `allowedPorts` names some. `proxy`: a proxy of ours on the loopback, for shell commands and web tools;
   * `hook`: web tools only. @defaultValue `'proxy'` with the sandbox on, else `'hook'`
   */
  readonly portEnforcement?: 'proxy' | 'hook' | undefined;
  /** The CLI does not ask a host of its vendor about a domain before it fetches from it. @defaultValue `false` */
  readonly skipWebFetchPreflight?: boolean | undefined;
}

/** An {@link IsolationConfig} that was checked, with every default in place. */
export interface ResolvedIsolation {
  readonly networkPolicy: NetworkPolicy;
  readonly sandbox: ResolvedSandbox;
  readonly env: Readonly<Record<string, string>>;
  readonly apiKey: string | undefined;
  readonly includeHostEnv: boolean;
  readonly passEnv: readonly string[];
  readonly portEnforcement: 'proxy' | 'hook';
  readonly skipWebFetchPreflight: boolean;
}

const FIELDS = [
  'networkPolicy',
  'sandbox',
  'env',
  'apiKey',
  'includeHostEnv',
  'passEnv',
  'portEnforcement',
  'skipWebFetchPreflight',
] as const;

/**
 * Checks a configuration and fills in its defaults. Pure: looks at no file and no variable.
 *
 * @param where - how messages name it
 * @throws {@link AdapterConfigError} naming the field.
 */
export function resolveIsolation(
  config: IsolationConfig,
  platform: string,
  where = 'isolation',
): ResolvedIsolation {
  const read = readFields(config, where, FIELDS);
  checkEnvironment(config.env, `${where}.env`);
  if (config.apiKey !== undefined) checkSecret(config.apiKey, `${where}.apiKey`);
  if (config.apiKey === '') {
    throw new AdapterConfigError(`\`${where}.apiKey\` is empty`, [`${where}.apiKey`], {
      hint: "Leave it out to use the host's.",
    });
  }
  read.check('portEnforcement', (value) =>
    value === 'proxy' || value === 'hook' ? undefined : "must be 'proxy' or 'hook'",
  );
  const sandbox = resolveSandbox(config.sandbox, platform, `${where}.sandbox`);
  if (config.portEnforcement === 'proxy' && !sandbox.enabled) {
    throw new AdapterConfigError(
      `\`${where}.portEnforcement\` is 'proxy', and \`${where}.sandbox.enabled\` is false: nothing would use the proxy`,
      [`${where}.portEnforcement`, `${where}.sandbox.enabled`],
      { hint: "Enable the sandbox, or say 'hook'." },
    );
  }
  return {
    networkPolicy: toNetworkPolicy(config.networkPolicy, `${where}.networkPolicy`),
    sandbox,
    env: Object.freeze({ ...config.env }),
    apiKey: config.apiKey,
    includeHostEnv: read.boolean('includeHostEnv', false),
    passEnv: read.list('passEnv', variableNameFault),
    portEnforcement: config.portEnforcement ?? (sandbox.enabled ? 'proxy' : 'hook'),
    skipWebFetchPreflight: read.boolean('skipWebFetchPreflight', false),
  };
}

function checkEnvironment(env: unknown, where: string): void {
  if (env === undefined) return;
  const refuse = (path: string, message: string): never => {
    throw new AdapterConfigError(`\`${path}\` ${message}`, [path]);
  };
  if (!isJsonObject(env)) refuse(where, `must be an object of strings, not ${describeValue(env)}`);
  for (const [name, value] of Object.entries(env as JsonObject)) {
    const path = `${where}.${name}`;
    if (variableNameFault(name) !== undefined)
      refuse(path, 'is no name that a variable can have (letters, digits and `_`)');
    checkSecret(value, path);
  }
}

/** Its value may be a secret: only its type is told. */
function checkSecret(value: unknown, where: string): void {
  const type = value === null ? 'null' : typeof value;
  if (type === 'string' && !(value as string).includes('\0')) return;
  const fault = type === 'string' ? 'holds a NUL character' : `must be a string, not ${type}`;
  throw new AdapterConfigError(`\`${where}\` ${fault}`, [where]);
}
