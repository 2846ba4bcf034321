import { AdapterConfigError } from '../errors/config-errors.js';
import { readFields, variableNameFault } from '../options/read-fields.js';

/** The limits of shell commands. */
export interface SandboxConfig {
  /** @defaultValue `true` */
  readonly enabled?: boolean | undefined;
  /** Refuses the run when the sandbox cannot start, instead of going on without it. @defaultValue `true` on Linux and macOS */
  readonly required?: boolean | undefined;
  /**
   * Paths that shell commands may write, besides the working directories. Relative ones are resolved against the working
   * directory and made when missing; absolute ones must exist. @defaultValue `[]`
   */
  readonly writablePaths?: readonly string[] | undefined;
  /** Paths that shell commands may read although they lie in a denied one, such as a version manager in the home. @defaultValue `[]` */
  readonly readablePaths?: readonly string[] | undefined;
  /** Paths that shell commands must not read. The host's home is always among them. @defaultValue `[]` */
  readonly denyRead?: readonly string[] | undefined;
  /**
   * Commands that run **outside of every limit**, also while `allowUnsandboxedCommands` is false: `docker`, `git:*`,
   * `npm run *`. In a chain or a pipe each part must match. @defaultValue `[]`
   */
  readonly excludedCommands?: readonly string[] | undefined;
  /**
   * Lets the model take **any** command out of the sandbox, not only the excluded ones. Needs `excludedCommands`.
   * @defaultValue `false`
   */
  readonly allowUnsandboxedCommands?: boolean | undefined;
  /** Sandboxed commands need no permission. @defaultValue `true` */
  readonly bashAutoAllow?: boolean | undefined;
  /** Names of credentials that shell commands may see all the same, such as `GITHUB_TOKEN`. @defaultValue `[]` */
  readonly exposeEnv?: readonly string[] | undefined;
}

/** A {@link SandboxConfig} that was checked, with every default in place. */
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

const FIELDS = [
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
 * Checks a configuration and fills in its defaults.
 *
 * @throws {@link AdapterConfigError} naming the field. A sandbox that is required where there is none is not refused here:
 * the same program may be configured on one machine and run on another.
 */
export function resolveSandbox(
  config: SandboxConfig | undefined,
  platform: string,
  where = 'isolation.sandbox',
): ResolvedSandbox {
  const read = readFields(config ?? {}, where, FIELDS);
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
