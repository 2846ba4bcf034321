import type { SpawnedProcess, SpawnOptions } from '../../transport/custom-spawn.js';
import type { Transport } from '../../transport/pull-adapter.js';

/** Where and how the CLI runs. */
export type ProcessOptions = {
  /** The child's working directory. @defaultValue the host's */
  cwd?: string;

  /** Further folders the tools may use. Wire: one `--add-dir=P` each. */
  additionalDirectories?: string[];

  /** Folder that project settings are read from. Wire: `--project-config-root=P`. */
  projectConfigRoot?: string;

  /**
   * The child's environment. It **replaces** the host's: spread `process.env` into it to add to that
   * (without `PATH` and `HOME` little works). `undefined` and `null` leave a name out; numbers and booleans are
   * written as text. The SDK adds `CLAUDE_CODE_ENTRYPOINT`, `CLAUDE_CODE_SDK_READS_SESSION_STATE` and
   * `CLAUDE_AGENT_SDK_VERSION` unless they are there, and removes `NODE_OPTIONS` and `DEBUG`.
   *
   * @defaultValue the host's `process.env`
   */
  env?: { [envVar: string]: string | undefined };

  /** Runtime for executables that are scripts: a name on the `PATH`, or a path. @defaultValue 'node' */
  executable?: 'bun' | 'deno' | 'node';

  /** Arguments before the script's path; for a native executable its first arguments. */
  executableArgs?: string[];

  /**
   * The Claude Code executable. Files named `.js .mjs .ts .tsx .jsx` run with `executable`, all others directly.
   *
   * @defaultValue looked for: see `docs/options.md`
   */
  pathToClaudeCodeExecutable?: string;

  /**
   * Further flags, without the dashes. `null`: the bare flag. Text: a second token, or `--flag=text` when it
   * starts with `-`. They come after the SDK's own flags and are not checked.
   */
  extraArgs?: Record<string, string | null>;

  /** The CLI writes debug output to stderr. Wire: `--debug`. @defaultValue false */
  debug?: boolean;

  /** The CLI writes debug output to this file instead. Wire: `--debug-file=P`. */
  debugFile?: string;

  /** Receives the CLI's stderr, chunk by chunk, as text. A throw is contained. */
  stderr?: (data: string) => void;

  /** Its signal ends the run: the loop throws an `AbortError` whose `cause` is the signal's reason. */
  abortController?: AbortController;

  /**
   * Starts the CLI in another way (a container, another machine). Called synchronously. Its exceptions
   * leave `query()`. No private files are used with it: what it gets is the whole command line.
   */
  spawnClaudeCodeProcess?: (options: SpawnOptions) => SpawnedProcess;

  /**
   * Speaks to the CLI over this instead of starting a process. The options about the process then have no effect.
   * Not together with `spawnClaudeCodeProcess`.
   */
  transport?: Transport;
};
