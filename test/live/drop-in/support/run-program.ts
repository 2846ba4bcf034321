import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { onTestFinished } from 'vitest';
import {
  type MessagesApi,
  type MessagesApiOptions,
  startMessagesApi,
} from '../../../../src/testing/messages-api/server.js';
import { CAN_LIST_PROCESSES, killProcessesWith, processesWith, waitUntil } from '../../support/processes.js';

/** Which package answers to the official name. */
export type Project = 'official' | 'claudewire';

export const PROJECTS: readonly Project[] = ['official', 'claudewire'];

/** What a program said and asked for. */
export interface ProgramRun {
  readonly exitCode: number | null;
  readonly stderr: string;
  /** Values of the printed lines by their label, each list in order. */
  readonly said: Readonly<Record<string, readonly unknown[]>>;
  /** Bodies of the conversation's model calls. */
  readonly asked: readonly unknown[];
  /** Processes that outlived the program. */
  readonly left: readonly string[];
  /** Where it ran; gone after the test. */
  readonly stage: RunStage;
}

/** What to run with Node, and with what beside the environment of the stage. */
export interface Command {
  /** @defaultValue the Node at hand */
  readonly node?: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Throw-away folders for one run, or for several in a row. */
export interface RunStage {
  readonly folder: string;
  readonly cwd: string;
  readonly config: string;
  readonly api: MessagesApi;
}

const { DROP_IN_PROJECTS } = process.env;
if (DROP_IN_PROJECTS === undefined) throw new Error('Run these with `npm run test:drop-in`');
const projects = DROP_IN_PROJECTS;

const RUN_LIMIT_MS = 90_000;
const EXIT_WAIT_MS = 10_000;

/** Folders and an API for the test that runs, taken down after it. */
export async function setRunStage(script: MessagesApiOptions): Promise<RunStage> {
  const folder = mkdtempSync(join(tmpdir(), 'run-'));
  const [cwd, config] = ['work', 'config', 'home', 'tmp'].map((name) => {
    const path = join(folder, name);
    mkdirSync(path);
    return path;
  }) as [string, string];
  const api = await startMessagesApi(script);
  onTestFinished(async () => {
    if (CAN_LIST_PROCESSES) killProcessesWith(folder);
    await api.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  return { folder, cwd, config, api };
}

/** The path of a file in an installed project. */
export function inProject(project: Project, ...path: readonly string[]): string {
  return join(projects, project, ...path);
}

/** What everything on a stage is started with: nothing of the developer's. */
export function stageEnvironment(stage: RunStage): Record<string, string> {
  return {
    PATH: process.env.PATH ?? '',
    LANG: 'C.UTF-8',
    HOME: join(stage.folder, 'home'),
    TMPDIR: join(stage.folder, 'tmp'),
    CLAUDE_CONFIG_DIR: stage.config,
    ANTHROPIC_API_KEY: 'sk-ant-fake',
    ANTHROPIC_BASE_URL: stage.api.url,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_BUG_COMMAND: '1',
  };
}

/** Runs a program of a project to its end. */
export function runProgram(
  project: Project,
  file: string,
  stage: RunStage,
  ...args: readonly string[]
): Promise<ProgramRun> {
  return runNode({ args: [inProject(project, file), ...args] }, stage);
}

/** Runs a program that prints with `programs/say.mjs` to its end. */
export async function runNode(
  { node = process.execPath, args, env = {} }: Command,
  stage: RunStage,
): Promise<ProgramRun> {
  const { exitCode, stdout, stderr } = await execa(node, args, {
    cwd: stage.cwd,
    env: { ...stageEnvironment(stage), ...env },
    extendEnv: false,
    stdin: 'ignore',
    timeout: RUN_LIMIT_MS,
    killSignal: 'SIGKILL',
    reject: false,
    stripFinalNewline: false,
  });
  const said: Record<string, unknown[]> = {};
  for (const line of stdout.split('\n').filter((text) => text !== '')) {
    // Every line is written by `programs/say.mjs`.
    const { label, value } = JSON.parse(line) as { label: string; value: unknown };
    said[label] = [...(said[label] ?? []), value];
  }
  const left = await processesLeft(stage);
  const asked = stage.api.requests.filter(({ kind }) => kind === 'main').map(({ body }) => body);
  return { exitCode: exitCode ?? null, stderr, said, asked, left, stage };
}

/** A CLI whose host ended in good order ends soon after; one that stays is left behind. */
async function processesLeft({ folder }: RunStage): Promise<readonly string[]> {
  if (!CAN_LIST_PROCESSES) return [];
  const found = () => processesWith(folder).map(({ command }) => command.slice(0, 200));
  await waitUntil('no process left', () => found().length === 0, EXIT_WAIT_MS).catch(() => {});
  return found();
}
