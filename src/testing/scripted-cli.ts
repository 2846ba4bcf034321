import { invalidOption, requireKnown } from '../errors/usage-errors.js';
import { ClaudeClient, type Options, query } from '../index.js';
import { omitUndefined } from '../util/json.js';
import type { SessionFacts } from './frames/session.js';
import type { ScenarioHeader } from './scenario/scenario-types.js';
import { compileScript, type Script } from './script/compile-script.js';
import { closeAndJudge, fileOf } from './scripted/judge.js';
import { createMemoryPlayHost } from './scripted/memory-play-host.js';
import { CLOSE_GRACE_MS, type ScriptedRun } from './scripted/play-host.js';
import { createProcessPlayHost } from './scripted/process-play-host.js';
import { readSent, type Sent } from './scripted/sent.js';

export interface ScriptedCliOptions extends SessionFacts {
  /** Play in this process, without a subprocess: faster, and mocked timers move the script too. @defaultValue false */
  readonly inProcess?: boolean;
  /** Any number of processes may be started, and each plays the whole script. @defaultValue false */
  readonly reuse?: boolean;
  /** Answers to control requests that no step expects, by subtype; `null`: never answered. */
  readonly answers?: ScenarioHeader['answers'];
  /** Milliseconds a step waits for the application; `0`: no limit. @defaultValue 4_000; a scenario file's own */
  readonly stepTimeoutMs?: number;
  /** Milliseconds for one process; `0`: no limit. @defaultValue 60_000 */
  readonly deadlineMs?: number;
  /** Milliseconds `close()` waits for processes to end by themselves. @defaultValue 2_000 */
  readonly closeGraceMs?: number;
  /** Whether frames that no step took fail the script. @defaultValue 'fail' */
  readonly unclaimed?: ScenarioHeader['unclaimed'];
  /** For a recording: flags that it does not have must not be given. @defaultValue false */
  readonly strictArgv?: boolean;
  /** For a recording: frames with further keys, and requests that it does not have, fail. @defaultValue true */
  readonly exact?: boolean;
}

const KNOWN = [
  ...['sessionId', 'model', 'cwd', 'cliVersion', 'inProcess', 'reuse', 'answers', 'stepTimeoutMs', 'deadlineMs'],
  ...['closeGraceMs', 'unclaimed', 'strictArgv', 'exact'],
] as const satisfies readonly (keyof ScriptedCliOptions)[];
type Missing = Exclude<keyof ScriptedCliOptions, (typeof KNOWN)[number]>;

/** @internal Does not compile when an option is missing. */
export const SCRIPTED_CLI_OPTIONS: readonly ([Missing] extends [never] ? string : Missing)[] = KNOWN;

/** A CLI that plays a script. Dispose of it: that is when the script is judged. */
export interface ScriptedCli extends AsyncDisposable {
  /** Spread these into the options of `query()`, `ClaudeClient`, `startup()`: they make the script the CLI. */
  readonly options: Pick<Options, 'pathToClaudeCodeExecutable' | 'spawnClaudeCodeProcess'>;
  /** The executable, for programs that take a path or `CLAUDE_CODE_EXECUTABLE`. `undefined` in process. */
  readonly path: string | undefined;
  /** The real `query`, bound to this CLI: hand it to the application in place of its own. */
  readonly query: typeof query;
  /** A real client, bound to this CLI. */
  client(options?: Options): ClaudeClient;
  /** One for each process that was started. */
  readonly runs: readonly ScriptedRun[];
  /** What the application sent, so far. */
  readonly sent: Sent;
  /**
   * Waits for the processes to end (`closeGraceMs`), kills the rest, removes every file, and judges the script. The
   * same as leaving the scope of `await using`. Safe to call twice; the second call says nothing.
   * @throws ScriptError a step failed, steps were left, the application asked for more, or left a process running.
   */
  close(): Promise<void>;
}

/**
 * A CLI for tests: plays a script over the real protocol, and no model, key or network is needed.
 * @param script - Items (messages, steps, prompts), a function that makes them of builders, or the path of a
 *   scenario file or a recording. One process plays it, or one for each `process()` item.
 * @throws ScenarioError, InvalidOptionError, ScriptError the script cannot be played.
 * @example
 * await using cli = scriptedCli(({ turn }) => turn('Four.', 'What is 2 + 2?'));
 * const answer = await myApp({ query: cli.query });
 * expect(answer).toBe('Four.');
 */
export function scriptedCli(
  script: Script,
  options?: ScriptedCliOptions & { readonly inProcess?: false },
): ScriptedCli & { readonly path: string };
export function scriptedCli(script: Script, options?: ScriptedCliOptions): ScriptedCli;
export function scriptedCli(script: Script, options: ScriptedCliOptions = {}): ScriptedCli {
  requireKnown('scriptedCli()', 'options', options, SCRIPTED_CLI_OPTIONS);
  const { inProcess = false, reuse = false, answers, deadlineMs, stepTimeoutMs, unclaimed } = options;
  if (options.strictArgv === true && typeof script !== 'string' && !(script instanceof URL)) {
    const hint = "Use `process({ argv })`: the flags of a script that must not be given are `'$absent'`.";
    throw invalidOption('strictArgv', 'left out for a script of items', true, hint);
  }
  const compiled = compileScript(script, {
    reuse,
    session: options,
    conversion: options,
    header: omitUndefined({ answers, deadlineMs, stepTimeoutMs, unclaimed }),
  });
  const { scenario } = compiled;
  const host = inProcess ? createMemoryPlayHost(scenario) : createProcessPlayHost(scenario);
  let closing: Promise<void> | undefined;
  const close = async (): Promise<void> => {
    // The second caller waits, and hears nothing of the first one's verdict.
    if (closing !== undefined) return closing.catch(() => {});
    closing = closeAndJudge(host, compiled, { graceMs: options.closeGraceMs ?? CLOSE_GRACE_MS, file: fileOf(script) });
    return closing;
  };
  return {
    options: host.options,
    path: host.path,
    query: (params) => {
      host.requireStartable?.();
      const run = query({ ...params, options: { ...params.options, ...host.options } });
      host.starting?.(run.initializationResult());
      return run;
    },
    client: (more) => {
      const client = new ClaudeClient({ ...more, ...host.options });
      const connect = client.connect.bind(client);
      client.connect = async (prompt) => {
        host.requireStartable?.();
        const connected = connect(prompt);
        host.starting?.(connected);
        return connected;
      };
      return client;
    },
    get runs() {
      return host.runs;
    },
    get sent() {
      return readSent(host.runs, compiled.requests);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
