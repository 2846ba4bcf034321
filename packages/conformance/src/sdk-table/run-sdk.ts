import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createRecorderLauncher, messagesApi, type Recording, readRecording } from 'claudewire/testing';
import { execa } from 'execa';
import { privateEnvironment } from '../drift/private-environment.js';
import { isJsonObject, parseJsonObject } from '../util/json.js';
import type { Circumstances, Observed, SdkScenario } from './sdk-scenarios.js';

/** One installed SDK: the command that runs a scenario, to which name and CLI are added. */
export interface SdkCommand {
  readonly command: readonly [string, ...string[]];
  readonly env?: Readonly<Record<string, string>>;
}

export interface SdkRun {
  /** Why it did not pass; `undefined` when it did. */
  readonly problem?: string;
  /** What went over the wire, one recording a process; none when the SDK never started the CLI. */
  readonly recordings: readonly Recording[];
}

export interface RunSdkOptions {
  readonly sdk: SdkCommand;
  readonly cli: string;
  readonly cliVersion: string;
  readonly scenario: SdkScenario;
  /** @defaultValue 1 */
  readonly timeoutFactor?: number | undefined;
}

const LIMIT_MS = 40_000;
const KILL_AFTER_MS = 3_000;

/** Runs one scenario through one SDK and one real CLI. A second try decides over a run that took too long. */
export async function runSdk(options: RunSdkOptions): Promise<SdkRun> {
  const first = await tryOnce(options);
  return first.isLate ? tryOnce({ ...options, timeoutFactor: 2 * (options.timeoutFactor ?? 1) }) : first;
}

async function tryOnce({
  sdk,
  cli,
  cliVersion,
  scenario,
  timeoutFactor = 1,
}: RunSdkOptions): Promise<SdkRun & { readonly isLate: boolean }> {
  const folder = mkdtempSync(join(tmpdir(), 'claudewire-table-'));
  try {
    const cwd = join(folder, 'work');
    const bin = join(folder, 'bin');
    mkdirSync(cwd);
    mkdirSync(bin);
    const out = join(folder, 'recording.jsonl');
    const { path } = createRecorderLauncher({ out, cli, cliVersion, dir: join(folder, 'recorder') });
    // Some releases look for a program of this name and take no path.
    symlinkSync(path, join(bin, 'claude'));
    await using api = await messagesApi(scenario.turns);
    const env = privateEnvironment(folder);
    const [file, ...args] = sdk.command;
    const limitMs = LIMIT_MS * timeoutFactor;
    const { stdout, stderr, timedOut } = await execa(file, [...args, scenario.name, path], {
      cwd,
      env: {
        ...env,
        PATH: [bin, env.PATH].join(delimiter),
        ANTHROPIC_BASE_URL: api.url,
        CLAUDE_AGENT_SDK_SKIP_VERSION_CHECK: '1',
        ...sdk.env,
      },
      extendEnv: false,
      stdin: 'ignore',
      timeout: limitMs,
      forceKillAfterDelay: KILL_AFTER_MS,
      reject: false,
    });
    const recordings = existsSync(out) ? [readRecording(readFileSync(out, 'utf8'), out)] : [];
    if (timedOut) return { problem: `did not end within ${limitMs / 1000} s`, recordings, isLate: true };
    const observed = parseJsonObject(String(stdout).trim().split('\n').at(-1) ?? '')?.observed;
    if (!isJsonObject(observed)) {
      return { problem: lastLine(String(stderr)) ?? 'said nothing', recordings, isLate: false };
    }
    const circumstances: Circumstances = {
      isMade: existsSync(join(cwd, 'made.txt')),
      requests: api.requests
        .filter(
          ({ path, body }) =>
            !path.includes('count_tokens') && isJsonObject(body) && Array.isArray(body.tools) && body.tools.length > 0,
        )
        .map(({ body }) => ({ model: String((body as { model?: unknown }).model), body: JSON.stringify(body) })),
    };
    // Written by the programs in drivers/table, which are ours.
    const problem = scenario.judge(observed as unknown as Observed, circumstances);
    return { ...(problem === undefined ? {} : { problem: plain(problem, folder) }), recordings, isLate: false };
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function lastLine(text: string): string | undefined {
  return text.trim().split('\n').at(-1) || undefined;
}

/** Without the folders of this machine, on one line, short. */
function plain(text: string, folder: string): string {
  return text.replaceAll(folder, '').replaceAll(/\s+/g, ' ').slice(0, 160);
}
