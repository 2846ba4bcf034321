import { spawnSync } from 'node:child_process';

/** What one recorder needs to know; a launcher has it written into it. */
export interface RecorderConfig {
  /** The recording; made with the first process, appended to by the others. */
  readonly out: string;
  /** Path of the real CLI. A `.js`, `.mjs` or `.cjs` file runs on this Node. */
  readonly cli: string;
  readonly cliVersion: string;
  /** Name of the recording, in its first line. */
  readonly name: string;
  /** `false`: everything is recorded as it came. */
  readonly scrub: boolean;
  /** Further texts to hide. */
  readonly scrubTexts?: readonly string[] | undefined;
}

/** What a launcher hands over. */
export interface LauncherConfig extends RecorderConfig {
  /** Folder of the files that number the processes. */
  readonly spawns: string;
}

/** How the CLI is started: scripts run on this Node, with the arguments that Node itself was given. */
export function commandOf(cli: string): readonly [string, ...string[]] {
  return /\.[cm]?js$/.test(cli) ? [process.execPath, ...process.execArgv, cli] : [cli];
}

/** What the CLI says to `--version`; `unknown` when it does not. */
export function versionOf(cli: string): string {
  const [command, ...args] = commandOf(cli);
  const { stdout } = spawnSync(command, [...args, '--version'], {
    encoding: 'utf8',
    timeout: 20_000,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return stdout?.trim() || 'unknown';
}
