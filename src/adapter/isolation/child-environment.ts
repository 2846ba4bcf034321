import { tmpdir } from 'node:os';
import { workingDirectory } from '../../util/host-places.js';
import { buildEnvironment } from './environment.js';
import type { ResolvedIsolation } from './isolation-config.js';
import { lenientRealPath } from './lenient-real-path.js';
import { trustedEntry } from './open-places.js';

export interface ChildEnvironmentInput {
  readonly isolation: ResolvedIsolation;
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
  readonly platform: string;
  /** The child's working directory. @defaultValue the host's */
  readonly cwd: string | undefined;
  readonly addDirs: readonly string[];
  /** @defaultValue the system's temporary directory */
  readonly tempRoot: string | undefined;
  /** How the homes' names begin. */
  readonly prefix: string;
  /** The child's home. @defaultValue none yet, `/` */
  readonly homePath?: string | undefined;
}

export interface ChildEnvironment {
  readonly env: Readonly<Record<string, string>>;
  /** Entries of the `PATH` that were left out, because what they name could be changed by the model. */
  readonly dropped: readonly string[];
}

/** The child's whole environment, on this machine: the sandbox's programs come from where the model may not write. */
export function childEnvironment(input: ChildEnvironmentInput): ChildEnvironment {
  const { isolation, hostEnv, platform, homePath = '/' } = input;
  const isTrusted = trustedEntry({
    workingDirectory: input.cwd ?? workingDirectory('cwd'),
    addDirs: input.addDirs,
    writablePaths: [...isolation.sandbox.writablePaths, ...ownTempDirs(input)],
    tempRoot: input.tempRoot ?? tmpdir(),
    prefix: input.prefix,
    realPath: lenientRealPath,
  });
  const dropped: string[] = [];
  const env = buildEnvironment({
    isolation,
    hostEnv,
    platform,
    homePath,
    isTrusted: (entry) => {
      const isKept = isTrusted(entry);
      if (!isKept) dropped.push(entry);
      return isKept;
    },
  });
  return { env, dropped };
}

/** Commands write in the temporary directory, also when it was set to another one. */
function ownTempDirs({ isolation, hostEnv }: ChildEnvironmentInput): string[] {
  const passed = isolation.passEnv.includes('TMPDIR') ? hostEnv.TMPDIR : undefined;
  return [passed, isolation.env.TMPDIR].filter((path) => path !== undefined);
}
