import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRecorderLauncher, type Recording, readRecording } from 'claudewire/testing';
import { execa } from 'execa';
import type { LiveScenario } from './live-scenario.js';
import { privateEnvironment } from './private-environment.js';
import { type LiveRun, runLive } from './run-live.js';
import { KindShapes, type RunShape, runShape, type SuiteShape } from './shapes.js';

/** A Messages API that plays these turns; `messagesApi()` has one. */
export type StartApi = (turns: readonly unknown[]) => Promise<{ readonly url: string; close(): Promise<void> }>;

export interface RecordSuiteOptions {
  readonly scenarios: readonly LiveScenario[];
  /** Path of the CLI. */
  readonly cli: string;
  /** The built recorder (`recorder.mjs`). @defaultValue that of `claudewire` */
  readonly recorder?: string | URL;
  /** Gets one recording a scenario. @defaultValue a folder that is removed */
  readonly out?: string | undefined;
  readonly startApi: StartApi;
  readonly signal?: AbortSignal | undefined;
  /** Multiplies every time limit, for slow machines. @defaultValue 1 */
  readonly timeoutFactor?: number | undefined;
  /** Gets each recording of a run that came to its end. */
  onRecording?(name: string, recording: Recording): void;
  /** As each scenario ends. */
  onRun?(name: string, problem: string | undefined): void;
}

export interface RecordedSuite {
  readonly shape: SuiteShape;
  /** Scenarios in which something was waited for in vain. Those whose CLI ended by itself are part of the shape. */
  readonly problems: readonly { readonly name: string; readonly problem: string }[];
}

/** The CLI waits for itself most of the time. */
const RUNS_AT_ONCE = 2;
const VERSION_LIMIT_MS = 20_000;
/** In a scenario: the working directory of the run. */
const WORK_DIR = '/work-dir';
const ENTRYPOINT = { CLAUDE_CODE_ENTRYPOINT: 'sdk-ts' };

/** Records every live scenario with one CLI, and says what the runs looked like. */
export async function recordSuite(options: RecordSuiteOptions): Promise<RecordedSuite> {
  const scratch = mkdtempSync(join(tmpdir(), 'claudewire-live-'));
  const kinds = new KindShapes();
  const runs: Record<string, RunShape> = {};
  const problems: { name: string; problem: string }[] = [];
  const notRecorded: Record<string, string> = {};
  try {
    const cliVersion = await versionOf(options.cli, privateEnvironment(join(scratch, 'version')));
    const out = options.out ?? join(scratch, 'recordings');
    mkdirSync(out, { recursive: true });
    const waiting = [...options.scenarios];
    const next = async (): Promise<void> => {
      for (;;) {
        const scenario = options.signal?.aborted === true ? undefined : waiting.shift();
        if (scenario === undefined) return;
        const { name } = scenario;
        const file = join(out, `${name}.jsonl`);
        const folder = join(scratch, name);
        const { problem, isUnfinished } = await recordOne(scenario, { ...options, file, folder, cliVersion });
        if (isUnfinished === true) {
          notRecorded[name] = problem ?? 'did not end';
        } else {
          const recording = readRecording(readFileSync(file, 'utf8'), file);
          runs[name] = runShape(recording);
          kinds.add(recording, name);
          options.onRecording?.(name, recording);
        }
        if (problem !== undefined) problems.push({ name, problem });
        options.onRun?.(name, problem);
      }
    };
    await Promise.all(Array.from({ length: RUNS_AT_ONCE }, next));
    const scenarios = Object.fromEntries(Object.entries(runs).sort());
    const shape = { cliVersion, scenarios, kinds: kinds.shapes, seenIn: kinds.seenIn, notRecorded };
    return { shape, problems };
  } finally {
    rmSync(scratch, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function recordOne(
  scenario: LiveScenario,
  {
    file,
    folder,
    cliVersion,
    cli,
    recorder,
    startApi,
    timeoutFactor,
  }: RecordSuiteOptions & { readonly file: string; readonly folder: string; readonly cliVersion: string },
): Promise<LiveRun> {
  const environment = privateEnvironment(folder);
  const cwd = join(folder, 'work');
  mkdirSync(cwd);
  // Nothing but texts is replaced, so it stays a scenario.
  const escaped = JSON.stringify(cwd).slice(1, -1);
  const placed: LiveScenario = JSON.parse(JSON.stringify(scenario).replaceAll(WORK_DIR, escaped));
  const api = await startApi(placed.turns);
  try {
    const { path } = createRecorderLauncher({
      out: file,
      cli,
      cliVersion,
      ...(recorder === undefined ? {} : { recorder }),
      dir: join(folder, 'recorder'),
    });
    return await runLive(placed, {
      cli: path,
      cwd,
      timeoutFactor,
      env: { ...environment, ...ENTRYPOINT, ANTHROPIC_BASE_URL: api.url, ...scenario.env },
    });
  } finally {
    await api.close();
  }
}

/** What the CLI says to `--version`. Asked once, not before each recording. */
async function versionOf(cli: string, env: NodeJS.ProcessEnv): Promise<string> {
  const [command, args] = /\.[cm]?js$/.test(cli) ? [process.execPath, [cli]] : [cli, []];
  const { stdout } = await execa(command, [...args, '--version'], {
    env,
    extendEnv: false,
    stdin: 'ignore',
    stderr: 'ignore',
    timeout: VERSION_LIMIT_MS,
    reject: false,
  });
  return stdout?.trim() || 'unknown';
}
