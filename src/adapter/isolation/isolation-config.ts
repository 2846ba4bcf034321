import { describeValue } from '../../util/describe-value.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import { AdapterConfigError } from '../errors/adapter-error.js';
import { readFields, variableNameFault } from '../options/read-fields.js';
import { type NetworkPolicy, type NetworkPolicyOptions, toNetworkPolicy } from './network-policy.js';

/** The limits of an isolated run. By default tools reach no host, and the sandbox is on. */
export interface IsolationConfig {
  /** @defaultValue `NetworkPolicy.noNetwork()` */
  readonly networkPolicy?: NetworkPolicy | NetworkPolicyOptions | undefined;
  readonly sandbox?: SandboxConfig | undefined;
  /** Variables of the CLI. They win over all others. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** `ANTHROPIC_API_KEY` of the CLI, hidden from shell commands. @defaultValue the host's key, if it has one */
  readonly apiKey?: string | undefined;
  /** Copies the host's variables, except names of accounts, homes and secrets. @defaultValue `false` */
  readonly includeHostEnv?: boolean | undefined;
  /** Host variables to copy whatever their names are. @defaultValue `[]` */
  readonly passEnv?: readonly string[] | undefined;
  /**
   * How `allowedPorts` is enforced. `proxy`: by our proxy on the loopback, for shell commands and web tools. `hook`:
   * for web tools only. @defaultValue `'proxy'` with the sandbox on, otherwise `'hook'`
   */
  readonly portEnforcement?: 'proxy' | 'hook' | undefined;
  /** Turns off the CLI's question to a vendor's host about a domain before a WebFetch. @defaultValue `false` */
  readonly skipWebFetchPreflight?: boolean | undefined;
}

/** A validated {@link IsolationConfig} with all defaults filled in. */
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

/** The limits of shell commands. */
export interface SandboxConfig {
  /** @defaultValue `true` */
  readonly enabled?: boolean | undefined;
  /** Refuses the run when the sandbox cannot start. @defaultValue `true` on Linux and macOS */
  readonly required?: boolean | undefined;
  /**
   * Paths that shell commands may write, besides the working directories. Relative ones are resolved against the
   * working directory and created when missing. Absolute ones must exist. @defaultValue `[]`
   */
  readonly writablePaths?: readonly string[] | undefined;
  /** Readable paths inside of denied ones, such as a version manager in the home. @defaultValue `[]` */
  readonly readablePaths?: readonly string[] | undefined;
  /** Paths that shell commands must not read. The host's home is always denied. @defaultValue `[]` */
  readonly denyRead?: readonly string[] | undefined;
  /**
   * Commands that run **outside of every limit**, whatever `allowUnsandboxedCommands` is: `docker`, `git:*`, `npm run
   * *`. In a chain or a pipe every part must match. @defaultValue `[]`
   */
  readonly excludedCommands?: readonly string[] | undefined;
  /**
   * Lets the model take **any** command out of the sandbox, not only the excluded ones. Needs `excludedCommands`.
   * @defaultValue `false`
   */
  readonly allowUnsandboxedCommands?: boolean | undefined;
  /** Sandboxed commands need no permission. @defaultValue `true` */
  readonly bashAutoAllow?: boolean | undefined;
  /** Names of credentials that shell commands can see, such as `GITHUB_TOKEN`. @defaultValue `[]` */
  readonly exposeEnv?: readonly string[] | undefined;
}

/** A validated {@link SandboxConfig} with all defaults filled in. */
export interface ResolvedSandbox {
  readonly enabled: boolean;
  readonly required: boolean;
  readonly writablePaths: readonly string[];
  readonly readablePaths: readonly string[];
  readonly denyRead: readonly string[];
  readonly excludedCommands: readonly string[];
  readonly allowUnsandboxedCommands: boolean;
  readonly bashAutoAllow: boolean;
  readonly exposeEnv: readonly string[];
}

const ISOLATION_FIELDS = [
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
 * Validates a configuration and fills in its defaults. Pure: it reads no file and no variable.
 *
 * @param where - The name in messages.
 * @throws {@link AdapterConfigError} naming the field.
 */
export function resolveIsolation(config: IsolationConfig, platform: string, where = 'isolation'): ResolvedIsolation {
  const read = readFields(config, where, ISOLATION_FIELDS);
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

/** The value may be a secret, so errors show its type only. */
function checkSecret(value: unknown, where: string): void {
  const type = value === null ? 'null' : typeof value;
  if (type === 'string' && !(value as string).includes('\0')) return;
  const fault = type === 'string' ? 'holds a NUL character' : `must be a string, not ${type}`;
  throw new AdapterConfigError(`\`${where}\` ${fault}`, [where]);
}

const SANDBOX_FIELDS = [
  'enabled',
  'required',
  'writablePaths',
  'readablePaths',
  'denyRead',
  'excludedCommands',
  'allowUnsandboxedCommands',
  'bashAutoAllow',
  'exposeEnv',
] as const;

/** Whether the CLI has a sandbox for this platform. */
export function hasSandbox(platform: string): boolean {
  return platform === 'linux' || platform === 'darwin';
}

/**
 * Validates a configuration and fills in its defaults. A required sandbox is accepted on every platform, since a
 * program can be configured on one machine and run on another.
 *
 * @throws {@link AdapterConfigError} naming the field.
 */
export function resolveSandbox(
  config: SandboxConfig | undefined,
  platform: string,
  where = 'isolation.sandbox',
): ResolvedSandbox {
  const read = readFields(config ?? {}, where, SANDBOX_FIELDS);
  const enabled = read.boolean('enabled', true);
  const sandbox: ResolvedSandbox = {
    enabled,
    required: read.boolean('required', enabled && hasSandbox(platform)),
    writablePaths: read.list('writablePaths', textFault),
    readablePaths: read.list('readablePaths', textFault),
    denyRead: read.list('denyRead', textFault),
    excludedCommands: read.list('excludedCommands', textFault),
    allowUnsandboxedCommands: read.boolean('allowUnsandboxedCommands', false),
    bashAutoAllow: read.boolean('bashAutoAllow', true),
    exposeEnv: read.list('exposeEnv', variableNameFault),
  };
  if (sandbox.required && !enabled) {
    throw new AdapterConfigError(
      `\`${where}.required\` is true and \`${where}.enabled\` is false`,
      [`${where}.required`, `${where}.enabled`],
      { hint: 'Leave one of them out.' },
    );
  }
  if (sandbox.allowUnsandboxedCommands && sandbox.excludedCommands.length === 0) {
    throw new AdapterConfigError(
      `\`${where}.allowUnsandboxedCommands\` is true without \`${where}.excludedCommands\``,
      [`${where}.allowUnsandboxedCommands`, `${where}.excludedCommands`],
      {
        hint: 'Name the commands that have to run outside of the sandbox; for those alone `allowUnsandboxedCommands` is not needed.',
      },
    );
  }
  return sandbox;
}

function textFault(value: unknown): string | undefined {
  const isText = typeof value === 'string' && value.trim() !== '' && !value.includes('\0');
  return isText ? undefined : 'must be a non-empty string';
}
