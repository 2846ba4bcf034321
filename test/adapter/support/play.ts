import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { SandboxProbe } from '../../../src/adapter/isolation/sandbox-probe.js';
import {
  createFrames,
  type Script,
  type ScriptedCli,
  type ScriptedCliOptions,
  type ScriptItem,
  scriptedCli,
} from '../../../src/testing/index.js';
import { isJsonObject, type JsonObject, omitUndefined } from '../../../src/util/json.js';
import { requireComparedLive } from './compared-live.js';
import { notIn, type Sent } from './stands-for.js';

export type PlayOptions = ScriptedCliOptions & {
  /** Nothing may be started: leaving the stage throws when it was. @defaultValue false */
  readonly neverStarted?: boolean;
} & (
    | {
        /** Names of recordings of the real CLI, without `.jsonl`, that together show every kind of frame the script sends. */
        readonly recordings: readonly string[];
      }
    | {
        readonly recordings: 'none';
        /** What the script does that no CLI was recorded doing, and why it is tested all the same. */
        readonly why: string;
      }
  );

/** A scripted CLI in a process of its own, and a machine for the adapter: nothing of the real one is read. */
export interface Stage extends ScriptedCli {
  /** A folder of this stage. It holds the other two, and goes with it. */
  readonly root: string;
  /** The host's home: exists, empty. */
  readonly hostHome: string;
  /** Where temporary directories are made. Exists, empty. */
  readonly tempRoot: string;
  /**
   * What a host that is not root, on Linux, would give the adapter: spread it into the constructor's options, before your own.
   * `clientConfig` holds the path of the script: spread that too when you give one.
   */
  readonly machine: {
    readonly hostEnv: Readonly<Record<string, string>>;
    readonly hostHome: string;
    readonly platform: 'linux';
    readonly uid: number;
    readonly tempRoot: string;
    readonly sandboxProbe: SandboxProbe;
    readonly clientConfig: { readonly pathToClaudeCodeExecutable: string };
  };
}

/**
 * Plays a script in the CLI's place, over a real process. Every frame of the script must have the shape of one that the
 * real CLI was recorded sending.
 *
 * @throws Error a frame that none of the recordings has; nothing was started.
 * @example
 * await using stage = play(({ turn }) => turn('Four.', 'What is 2 + 2?'), { recordings: ['hello'] });
 * const adapter = new ClaudeAgentAdapter({ ...stage.machine });
 */
export function play(script: Script, options: PlayOptions): Stage {
  checkShapes(script, options);
  const { neverStarted, recordings: _, why: __, ...played } = { why: '', ...options };
  const cli = scriptedCli(script, played);
  const { path } = cli;
  if (path === undefined) throw new Error('play() is for real processes: leave `inProcess` out');
  const root = mkdtempSync(join(tmpdir(), 'cw-stage-'));
  const [hostHome, tempRoot] = [join(root, 'host-home'), join(root, 'tmp')];
  for (const folder of [hostHome, tempRoot]) mkdirSync(folder);
  const close = async (): Promise<void> => {
    try {
      await (neverStarted === true ? closeUnused(cli) : cli.close());
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  };
  return {
    path,
    options: cli.options,
    query: cli.query,
    client: cli.client,
    get runs() {
      return cli.runs;
    },
    get sent() {
      return cli.sent;
    },
    root,
    hostHome,
    tempRoot,
    machine: {
      hostEnv: { PATH: process.env.PATH ?? '/usr/bin:/bin', HOME: hostHome, ANTHROPIC_API_KEY: 'test-key' },
      hostHome,
      platform: 'linux',
      uid: 1000,
      tempRoot,
      sandboxProbe: async () => ({ passed: true, problem: undefined, fix: undefined }),
      clientConfig: { pathToClaudeCodeExecutable: path },
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function closeUnused(cli: ScriptedCli): Promise<void> {
  await cli.close().catch(() => {});
  if (cli.runs.length > 0) throw new Error(`${cli.runs.length} processes were started`);
}

function checkShapes(script: Script, options: PlayOptions): void {
  if (options.recordings === 'none') {
    if (options.why.trim() === '') throw new Error('play(): say `why` no recording shows this');
    return;
  }
  requireComparedLive(options.recordings);
  // The file is a recording, or made of one.
  if (typeof script === 'string' || script instanceof URL) return;
  const { sessionId, model, cwd, cliVersion } = options;
  const facts = omitUndefined({ sessionId, model, cwd, cliVersion });
  const items = typeof script === 'function' ? script(createFrames(facts)) : script;
  const sent = [...sentBy(items), ...answersOf(options.answers)];
  const problems = [...new Set(notIn(options.recordings, sent))];
  if (problems.length === 0) return;
  throw new Error(
    `The script sends what these recordings do not show (${options.recordings.join(', ')}):\n${problems
      .map((problem) => `- ${problem}`)
      .join('\n')}`,
  );
}

function* sentBy(item: ScriptItem | readonly ScriptItem[]): Generator<Sent> {
  if (Array.isArray(item)) {
    for (const each of item as readonly ScriptItem[]) yield* sentBy(each);
    return;
  }
  const step = item as JsonObject;
  if (typeof step.type === 'string') yield { frame: step };
  else if (isJsonObject(step.out)) yield { frame: step.out };
  else if (Array.isArray(step.steps)) yield* sentBy(step.steps as ScriptItem[]);
  else if (Array.isArray(step.inAny)) yield* sentBy(step.inAny as ScriptItem[]);
  else yield* answerOf(step);
}

function* answerOf(step: JsonObject): Generator<Sent> {
  const { in: expected, answer, error } = step;
  const request = isJsonObject(expected) ? expected.request : undefined;
  const subtype = isJsonObject(request) ? String(request.subtype) : undefined;
  if (subtype === undefined) return;
  if (error !== undefined) yield { errorTo: subtype };
  // An empty answer is the scripted CLI's own way of saying "yes".
  if (isJsonObject(answer) && Object.keys(answer).length > 0) {
    yield { answerTo: subtype, payload: answer };
  }
}

function answersOf(answers: ScriptedCliOptions['answers'] = {}): readonly Sent[] {
  return Object.entries(answers).flatMap(([answerTo, payload]) => (payload === null ? [] : [{ answerTo, payload }]));
}
