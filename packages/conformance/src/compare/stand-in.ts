import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createPlayerLauncher, type PlayerFolder, type Scenario, type Verdict } from 'claudewire/testing';
import { isJsonObject, parseJsonObject } from '../util/json.js';
import type { Play } from './play-source.js';
import type { Language } from './program-runner.js';

/** The player in the place of Claude Code, for one program. */
export interface StandIn {
  /** What the program is started with. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The module that Node loads first. */
  readonly nodeModule: string;
  /** What each process of the player saw, in the order they were started. */
  processes(): readonly PlayedProcess[];
  /** Ends every player that still runs. */
  kill(): void;
}

/** One start of the CLI, as the player saw it. */
export interface PlayedProcess {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Lines of stdin. */
  readonly lines: readonly string[];
  /** `undefined` when it was killed before it could say. */
  readonly verdict: Verdict | undefined;
}

/** Takes every variable by which a shell configures Claude Code: a comparison uses no key and no account. */
const OF_CLAUDE = /^(?:CLAUDE|ANTHROPIC_)/;
/** Nothing listens there. A CLI that is started in spite of everything reaches no API. */
const NOWHERE = 'http://127.0.0.1:9';
const MADE_UP_KEY = 'sk-ant-claudewire-compare';

export interface StandInOptions {
  /** The folder of the conformance data. */
  readonly data: string;
  readonly language: Language;
}

/** Writes the player into `folder`, with what leads a program to it. */
export function createStandIn(play: Play, folder: string, { data, language }: StandInOptions): StandIn {
  const bin = join(folder, 'bin');
  const config = join(folder, 'config');
  for (const each of [bin, config]) mkdirSync(each, { recursive: true });
  const log = join(folder, 'log.jsonl');
  writeFileSync(log, '', { mode: 0o600 });
  const launchers = [play.scenario, ...(play.unasked === undefined ? [] : [play.unasked])].map((scenario, index) =>
    launcherOf(scenario, join(folder, `play-${index}`), log),
  );
  const [asks, unasked] = launchers.map(({ path }) => path);
  const program = unasked === undefined || asks === undefined ? (asks ?? '') : writeChoice(folder, asks, unasked);
  // Windows has neither links for everybody nor shebangs.
  const cli = process.platform === 'win32' ? program : join(bin, 'claude');
  if (cli !== program) symlinkSync(program, cli);
  const standIns = join(data, 'compare', 'stand-in');
  return {
    env: programEnvironment({ cli, bin, config, pythonPath: language === 'python' ? standIns : undefined }),
    nodeModule: join(standIns, 'stand-in.mjs'),
    processes: () => readLog(log, verdictsOf(launchers.map((launcher) => launcher.folder))),
    kill() {
      for (const { pid } of launchers.flatMap(({ folder }) => folder.processes()))
        if (pid !== undefined) endPlayer(pid);
    },
  };
}

function launcherOf(
  scenario: Scenario,
  dir: string,
  log: string,
): { readonly path: string; readonly folder: PlayerFolder } {
  const steps = scenario.steps.map(({ step }) => step);
  const source = scenario.file ?? scenario.header.scenario;
  const places = scenario.steps.map(({ line }) => `${source}:${line}`);
  const launcher = createPlayerLauncher({
    scenario: steps,
    header: { ...scenario.header, places },
    dir,
    cwd: process.cwd(),
    log,
  });
  // Nobody is there to open them: the driver lane is not played.
  for (const step of steps) if ('gate' in step) launcher.folder.openGate(step.gate);
  return launcher;
}

/** A program that asks about permissions is asked; the others would wait for ever, or fail. */
function writeChoice(folder: string, asks: string, unasked: string): string {
  const [first, second] = [asks, unasked].map((path) => JSON.stringify(pathToFileURL(path).href));
  const path = join(folder, 'claude.mjs');
  const [shebang] = readFileSync(asks, 'utf8').split('\n', 1);
  const isAsked = `process.argv.some((arg) => /^--permission-prompt-tool(?:=|$)/.test(arg))`;
  writeFileSync(path, `${shebang}\nawait import(${isAsked} ? ${first} : ${second});\n`, { mode: 0o700 });
  return path;
}

interface Places {
  readonly cli: string;
  readonly bin: string;
  readonly config: string;
  /** In front of the modules of a Python program. */
  readonly pythonPath: string | undefined;
}

function programEnvironment({ cli, bin, config, pythonPath }: Places): StandIn['env'] {
  const own = Object.fromEntries(Object.entries(process.env).filter(([name]) => !OF_CLAUDE.test(name)));
  return {
    ...own,
    PATH: pathOf(bin, own.PATH),
    ...(pythonPath === undefined ? {} : { PYTHONPATH: pathOf(pythonPath, own.PYTHONPATH) }),
    CLAUDEWIRE_COMPARE_CLI: cli,
    CLAUDE_CODE_EXECUTABLE: cli,
    CLAUDE_CONFIG_DIR: config,
    ANTHROPIC_API_KEY: MADE_UP_KEY,
    ANTHROPIC_BASE_URL: NOWHERE,
  };
}

const pathOf = (...folders: readonly (string | undefined)[]): string =>
  folders.filter((each) => each !== undefined && each !== '').join(delimiter);

function readLog(file: string, verdicts: ReadonlyMap<number, Verdict>): readonly PlayedProcess[] {
  const records = readFileSync(file, 'utf8').split('\n').map(parseJsonObject);
  return records.flatMap((start) => {
    if (start?.event !== 'start') return [];
    const lines = records.flatMap((each) =>
      each?.event === 'in' && each.pid === start.pid && typeof each.line === 'string' ? [each.line] : [],
    );
    const argv = Array.isArray(start.argv) ? start.argv.map(String) : [];
    const env = isJsonObject(start.env) ? start.env : {};
    return [
      {
        argv,
        env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, String(value)])),
        lines,
        verdict: verdicts.get(Number(start.pid)),
      },
    ];
  });
}

/** By the pid of the process. */
function verdictsOf(folders: readonly PlayerFolder[]): ReadonlyMap<number, Verdict> {
  const found = folders.flatMap((folder) =>
    folder.processes().flatMap(({ spawn, pid }): (readonly [number, Verdict])[] => {
      const verdict = folder.verdict(spawn);
      return verdict === undefined || pid === undefined ? [] : [[pid, verdict]];
    }),
  );
  return new Map(found);
}

function endPlayer(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
