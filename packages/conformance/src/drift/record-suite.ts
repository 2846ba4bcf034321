import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRecorderLauncher, readRecording } from 'claudewire/testing';
import { execa } from 'execa';
import type { LiveScenario } from './live-scenario.js';
import { runLive } from './run-live.js';
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
  /** As each scenario ends. */
  onRun?(name: string, problem: string | undefined): void;
}

export interface RecordedSuite {
  readonly shape: SuiteShape;
  /** Scenarios that did not come to their end. */
  readonly problems: readonly { readonly name: string; readonly problem: string }[];
}

/** The CLI waits for itself most of the time. */
const RUNS_AT_ONCE = 2;
const VERSION_LIMIT_MS = 20_000;
/** In a scenario: the working directory of the run. */
const WORK_DIR = '/work-dir';
/** No key, no login and no telemetry: the CLI talks to the loopback API alone. */
const SETTINGS = {
  LANG: 'C.UTF-8',
  ANTHROPIC_API_KEY: 'sk-ant-fake',
  CLAUDE_CODE_ENTRYPOINT: 'sdk-ts',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_TELEMETRY: '1',
  DISABLE_ERROR_REPORTING: '1',
  DISABLE_AUTOUPDATER: '1',
  DISABLE_BUG_COMMAND: '1',
};

/** Records every live scenario with one CLI, and says what the runs looked like. */
export async function recordSuite(options: RecordSuiteOptions): Promise<RecordedSuite> {
  const scratch = mkdtempSync(join(tmpdir(), 'claudewire-live-'));
  const kinds = new KindShapes();
  const runs: Record<string, RunShape> = {};
  const problems: { name: string; problem: string }[] = [];
  try {
    const cliVersion = await versionOf(options.cli, { ...SETTINGS, ...place(join(scratch, 'version')) });
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
        const { problem } = await recordOne(scenario, { ...options, file, folder, cliVersion });
        const recording = readRecording(readFileSync(file, 'utf8'), file);
        runs[name] = runShape(recording);
        kinds.add(recording);
        if (problem !== undefined) problems.push({ name, problem });
        options.onRun?.(name, problem);
      }
    };
    await Promise.all(Array.from({ length: RUNS_AT_ONCE }, next));
    const scenarios = Object.fromEntries(Object.entries(runs).sort());
    return { shape: { cliVersion, scenarios, kinds: kinds.shapes }, problems };
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
  }: RecordSuiteOptions & { readonly file: string; readonly folder: string; readonly cliVersion: string },
): Promise<{ readonly problem?: string }> {
  const places = place(folder);
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
      env: { ...SETTINGS, ...places, ANTHROPIC_BASE_URL: api.url, ...scenario.env },
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

/** Folders of its own for one CLI. */
function place(folder: string): Readonly<Record<string, string | undefined>> {
  const places = { HOME: 'home', CLAUDE_CONFIG_DIR: 'config', TMPDIR: 'tmp' };
  const made = Object.entries(places).map(([variable, name]) => {
    mkdirSync(join(folder, name), { recursive: true });
    return [variable, join(folder, name)];
  });
  return { PATH: process.env.PATH, ...Object.fromEntries(made) };
}
