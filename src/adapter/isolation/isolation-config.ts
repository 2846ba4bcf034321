import { isJsonObject } from '../../util/json.js';
import {
  anything,
  arrayOf,
  boolean,
  custom,
  nullOr,
  oneOf,
  problemOf,
  secretString,
  type Validator,
} from '../../util/validate.js';
import { AdapterConfigError } from '../errors/adapter-error.js';
import { checkFields, frozen, variableName } from '../options/read-fields.js';
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

/** With every field filled in. */
type Resolved<T> = { readonly [Name in keyof T]-?: Exclude<T[Name], undefined> };

/** A validated {@link SandboxConfig} with all defaults filled in. */
export type ResolvedSandbox = Resolved<SandboxConfig>;

/** A validated {@link IsolationConfig} with all defaults filled in. */
export interface ResolvedIsolation extends Resolved<Omit<IsolationConfig, 'networkPolicy' | 'sandbox' | 'apiKey'>> {
  readonly networkPolicy: NetworkPolicy;
  readonly sandbox: ResolvedSandbox;
  readonly apiKey: string | undefined;
}

const flag = nullOr(boolean);
const variableNames = nullOr(arrayOf(variableName));
const texts = nullOr(
  arrayOf(
    custom('a non-empty string', (value) => typeof value === 'string' && value.trim() !== '' && !value.includes('\0')),
  ),
);

/** The values may be secrets, so problems show only their type. */
const environment: Validator = (value, path) => {
  if (!isJsonObject(value)) return problemOf(path, 'an object of strings', value);
  for (const [name, text] of Object.entries(value)) {
    const problem = variableName(name, `${path}.${name}`) ?? secretString(text, `${path}.${name}`);
    if (problem !== undefined) return problem;
  }
  return undefined;
};

const key: Validator = (value, path) =>
  value === ''
    ? problemOf(path, 'a non-empty string', value, "Leave it out to use the host's.")
    : secretString(value, path);

const ISOLATION: Readonly<Record<keyof IsolationConfig, Validator>> = {
  networkPolicy: anything,
  sandbox: anything,
  env: environment,
  apiKey: key,
  includeHostEnv: flag,
  passEnv: variableNames,
  portEnforcement: oneOf('proxy', 'hook'),
  skipWebFetchPreflight: flag,
};

const SANDBOX: Readonly<Record<keyof SandboxConfig, Validator>> = {
  enabled: flag,
  required: flag,
  writablePaths: texts,
  readablePaths: texts,
  denyRead: texts,
  excludedCommands: texts,
  allowUnsandboxedCommands: flag,
  bashAutoAllow: flag,
  exposeEnv: variableNames,
};

/**
 * Validates a configuration and fills in its defaults. Pure: it reads no file and no variable.
 * @param where - The name in messages.
 * @throws {@link AdapterConfigError} naming the field.
 */
export function resolveIsolation(config: IsolationConfig, platform: string, where = 'isolation'): ResolvedIsolation {
  checkFields(config, where, ISOLATION);
  const sandbox = resolveSandbox(config.sandbox, platform, `${where}.sandbox`);
  if (config.portEnforcement === 'proxy' && !sandbox.enabled) {
    throw new AdapterConfigError(
      `\`${where}.portEnforcement\` is 'proxy', and \`${where}.sandbox.enabled\` is false: nothing would use the proxy`,
      [`${where}.portEnforcement`, `${where}.sandbox.enabled`],
      { hint: "Enable the sandbox, or set 'hook'." },
    );
  }
  return {
    networkPolicy: toNetworkPolicy(config.networkPolicy, `${where}.networkPolicy`),
    sandbox,
    env: Object.freeze({ ...config.env }),
    apiKey: config.apiKey,
    includeHostEnv: config.includeHostEnv ?? false,
    passEnv: frozen(config.passEnv),
    portEnforcement: config.portEnforcement ?? (sandbox.enabled ? 'proxy' : 'hook'),
    skipWebFetchPreflight: config.skipWebFetchPreflight ?? false,
  };
}

/** Whether the CLI has a sandbox for this platform. */
export function hasSandbox(platform: string): boolean {
  return platform === 'linux' || platform === 'darwin';
}

/**
 * Validates a configuration and fills in its defaults. A required sandbox is accepted on every platform, since a
 * program can be configured on one machine and run on another.
 * @throws {@link AdapterConfigError} naming the field.
 */
export function resolveSandbox(
  config: SandboxConfig | undefined,
  platform: string,
  where = 'isolation.sandbox',
): ResolvedSandbox {
  const given = config ?? {};
  checkFields(given, where, SANDBOX);
  const enabled = given.enabled ?? true;
  const sandbox: ResolvedSandbox = {
    enabled,
    required: given.required ?? (enabled && hasSandbox(platform)),
    writablePaths: frozen(given.writablePaths),
    readablePaths: frozen(given.readablePaths),
    denyRead: frozen(given.denyRead),
    excludedCommands: frozen(given.excludedCommands),
    allowUnsandboxedCommands: given.allowUnsandboxedCommands ?? false,
    bashAutoAllow: given.bashAutoAllow ?? true,
    exposeEnv: frozen(given.exposeEnv),
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
      { hint: 'Name the commands that must run outside of the sandbox. They do not need `allowUnsandboxedCommands`.' },
    );
  }
  return sandbox;
}
