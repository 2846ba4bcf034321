import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect } from 'vitest';
import type { Options } from '../../../src/index.js';
import type { LoggedRequest } from '../../../src/testing/messages-api/requests.js';
import {
  type MessagesApi,
  type MessagesApiOptions,
  startMessagesApi,
} from '../../../src/testing/messages-api/server.js';
import { isJsonObject } from '../../../src/util/json.js';
import type { LiveCli } from './clis.js';
import { CAN_LIST_PROCESSES, killProcessesWith, processesWith, waitUntil } from './processes.js';

/** One real CLI, its scripted API, and folders that are thrown away. */
export interface Stage {
  readonly cli: LiveCli;
  readonly api: MessagesApi;
  /** Holds everything the run writes; also the mark of its processes. */
  readonly folder: string;
  /** The CLI's working directory. */
  readonly cwd: string;
  /** Options that run this CLI against this API; the whole environment is built here. */
  options(more?: Options, env?: Readonly<Record<string, string>>): Options;
  /** Models of the conversation's calls, in order. */
  mainCalls(): readonly (string | undefined)[];
}

const stages: Stage[] = [];
const EXIT_WAIT_MS = 10_000;

/** Sets a stage for the test that runs; taken down, and checked for processes left behind, after it. */
export async function setStage(cli: LiveCli, script: MessagesApiOptions): Promise<Stage> {
  const stage = await openStage(cli, script);
  stages.push(stage);
  return stage;
}

/** A stage that its owner closes: for tests that run side by side. */
export async function openStage(cli: LiveCli, script: MessagesApiOptions): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'live-stage-'));
  const [home, config, temp, cwd] = ['home', 'config', 'tmp', 'work'].map((name) => {
    const path = join(folder, name);
    mkdirSync(path);
    return path;
  }) as [string, string, string, string];
  const api = await startMessagesApi(script);
  return {
    cli,
    api,
    folder,
    cwd,
    options: (more = {}, env = {}) => ({
      pathToClaudeCodeExecutable: cli.path,
      cwd,
      env: {
        PATH: process.env.PATH,
        LANG: 'C.UTF-8',
        HOME: home,
        CLAUDE_CONFIG_DIR: config,
        TMPDIR: temp,
        ANTHROPIC_API_KEY: 'sk-ant-fake',
        ANTHROPIC_BASE_URL: api.url,
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
        DISABLE_TELEMETRY: '1',
        DISABLE_ERROR_REPORTING: '1',
        DISABLE_AUTOUPDATER: '1',
        DISABLE_BUG_COMMAND: '1',
        ...env,
      },
      ...more,
    }),
    mainCalls: () => api.requests.filter((entry) => entry.kind === 'main').map(modelOf),
  };
}

afterEach(async () => {
  for (const stage of stages.splice(0)) await closeStage(stage);
});

/** Takes a stage down. Fails when a process was left behind. */
export async function closeStage(stage: Stage): Promise<void> {
  try {
    await expectNoProcess(stage);
  } finally {
    if (CAN_LIST_PROCESSES) killProcessesWith(stage.folder);
    await stage.api.close();
    rmSync(stage.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Nothing of the stage runs any more: neither the CLI nor what it started. */
export async function expectNoProcess(stage: Stage): Promise<void> {
  if (!CAN_LIST_PROCESSES) return;
  try {
    await waitUntil('no process left', () => processesWith(stage.folder).length === 0, EXIT_WAIT_MS);
  } catch {
    expect(processesWith(stage.folder), 'processes left behind').toEqual([]);
  }
}

/** The first `system/init` names the release under test. */
export function expectVersion(stage: Stage, messages: readonly unknown[]): void {
  const init = messages.filter(isJsonObject).find((message) => message.subtype === 'init');
  expect(init, 'a system/init message').toBeDefined();
  expect(init?.claude_code_version).toBe(stage.cli.version);
}

function modelOf(entry: LoggedRequest): string | undefined {
  const model = isJsonObject(entry.body) ? entry.body.model : undefined;
  return typeof model === 'string' ? model : undefined;
}
