import { requireObject } from '../errors/usage-errors.js';
import { ProcessError, type SpawnedProcess, type Transport } from '../index.js';
import { isJsonObject, parseJson } from '../util/json.js';
import { LineSplitter } from '../util/lines.js';
import type { SessionFacts } from './frames/session.js';
import { compileScript, type Script } from './script/compile-script.js';
import { closeAndJudge, fileOf } from './scripted/judge.js';
import { createMemoryPlayHost } from './scripted/memory-play-host.js';
import { CLOSE_GRACE_MS } from './scripted/play-host.js';
import { readSent, type Sent } from './scripted/sent.js';

/** A transport with a script at its other end. One transport is one session. */
export interface ReplayTransport extends Transport, AsyncDisposable {
  /** What the application sent, so far. */
  readonly sent: Sent;
  /**
   * Ends the replay and judges it. The same as leaving the scope of `await using`; `close()` is the session's.
   * @throws ScriptError as `scriptedCli` does.
   */
  verify(): Promise<void>;
}

/**
 * Replays a script through the option `transport`: no process, no arguments, no environment. What a script expects of
 * those is not looked at.
 * @param script - As for `scriptedCli`: items, a function of builders, the path of a scenario file or a recording.
 * @throws ScenarioError, InvalidOptionError the script cannot be played.
 * @example
 * await using transport = replayTransport(({ turn }) => turn('Hello.'));
 * for await (const message of query({ prompt: 'Hi', options: { transport } })) show(message);
 */
export function replayTransport(script: Script, session: SessionFacts = {}): ReplayTransport {
  requireObject('session', 'replayTransport() takes the facts of a session', session, 'Leave it out.');
  const compiled = compileScript(script, { reuse: true, session, header: { unclaimed: 'fail' } });
  const scenario = { ...compiled.scenario, steps: compiled.scenario.steps.filter(({ step }) => !('spawn' in step)) };
  const host = createMemoryPlayHost(scenario);
  let started: SpawnedProcess | undefined;
  const start = (): SpawnedProcess => {
    const signal = new AbortController().signal;
    started ??= host.options.spawnClaudeCodeProcess?.({ command: 'claude', args: [], env: {}, signal });
    if (started === undefined) throw new TypeError('the memory host always has a spawn function');
    return started;
  };
  const verify = (): Promise<void> =>
    closeAndJudge(host, { ...compiled, scenario }, { graceMs: CLOSE_GRACE_MS, file: fileOf(script) });
  return {
    connect: () => void start(),
    write: (line) => writeLine(start(), line),
    readMessages: () => readMessages(start()) as ReturnType<Transport['readMessages']>,
    endInput: () => void start().stdin.end(),
    isReady: () => started?.stdin.writable === true,
    close: () => {
      started?.stdin.end();
      // The end of input comes first, as from a session over a process.
      setImmediate(() => started?.kill('SIGTERM'));
    },
    get sent() {
      return readSent(host.runs, compiled.requests);
    },
    verify,
    [Symbol.asyncDispose]: verify,
  };
}

function writeLine({ stdin }: SpawnedProcess, line: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stdin.write(line, (error) => (error == null ? resolve() : reject(error)));
  });
}

/** Lines that are no JSON are left out, as a transport of parsed frames must. */
async function* readMessages(process: SpawnedProcess): AsyncGenerator<unknown, void> {
  let stderr = '';
  process.stderr?.on('data', (chunk: Buffer) => {
    stderr = `${stderr}${chunk}`.slice(-2048);
  });
  const exited = new Promise<void>((resolve) => process.once('exit', () => resolve()));
  const lines = new LineSplitter();
  let hasFailedTurn = false;
  for await (const chunk of process.stdout as AsyncIterable<Buffer>) {
    for (const line of lines.push(chunk)) {
      const frame = parseJson(line);
      if (frame === undefined) continue;
      if (isJsonObject(frame) && frame.type === 'result') hasFailedTurn = frame.is_error === true;
      yield frame;
    }
  }
  await exited;
  const { exitCode, signalCode = null } = process;
  // SIGTERM is how the session closes a transport.
  if (exitCode === 0 || exitCode === 143) return;
  // The exit code repeats the result, which has been delivered.
  if (exitCode === 1 && hasFailedTurn) return;
  throw ProcessError.fromExit({ exitCode, signal: signalCode, stderrTail: stderr.trim() });
}
