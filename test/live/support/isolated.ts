import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect } from 'vitest';
import {
  ClaudeAgentAdapter,
  type ClaudeAgentAdapterOptions,
  type ClaudeAgentClientConfig,
  type IsolationConfig,
  MarkdownSection,
  Prompt,
  type PromptResponse,
  Session,
} from '../../../src/adapter/index.js';
import type { SDKMessage } from '../../../src/index.js';
import { isJsonObject, type JsonObject } from '../../../src/util/json.js';
import { CURRENT } from './clis.js';
import { type Stage, setStage } from './stage.js';

/** What the scripted API says when WebFetch asks it about a page. */
export const PAGE_WAS_READ = 'OK';

/** One call of the model: the tool and its input. */
export type Call = readonly [tool: string, input: JsonObject];

export const sh = (command: string): Call => ['Bash', { command, description: 'Run a command' }];
export const fetchPage = (url: string): Call => ['WebFetch', { url, prompt: 'What is it?' }];

/** The real CLI, isolated by the adapter, on a machine of this test's own: home, temporary directory, working directory. */
export interface IsolatedStage extends Stage {
  /** The host's home. */
  readonly hostHome: string;
  /** The host's temporary directory; short, because the CLI puts sockets below it. */
  readonly tempRoot: string;
  /** Runs the calls in one turn. */
  run(isolation: IsolationConfig, more?: RunMore): Promise<Outcome>;
}

export interface RunMore {
  readonly client?: ClaudeAgentClientConfig;
  readonly adapter?: ClaudeAgentAdapterOptions;
  readonly hostEnv?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** While the home is still there. */
  readonly onMessage?: (message: SDKMessage) => void;
}

export interface Outcome {
  readonly response: PromptResponse<unknown>;
  /** Texts of the tool results, in the order of the calls. */
  readonly said: readonly string[];
  /** What the CLI says it was started with: tools, model, source of the key. */
  readonly init: Extract<SDKMessage, { type: 'system'; subtype: 'init' }>;
}

export const KEY = 'sk-ant-canary-5b1f';
const roots: string[] = [];

afterEach(() => {
  for (const root of roots.splice(0)) rmSync(root, { recursive: true, force: true });
});

/** @param calls - what the model calls; a function when they name folders of the stage */
export async function setIsolatedStage(
  calls: readonly Call[] | ((place: Stage & { readonly hostHome: string }) => readonly Call[]),
  { inSubagent = false }: { readonly inSubagent?: boolean } = {},
): Promise<IsolatedStage> {
  const turn = () => blocksOf(typeof calls === 'function' ? calls({ ...stage, hostHome }) : calls);
  const agent = blocksOf([['Agent', { description: 'Do it', prompt: 'Do it.', run_in_background: false }]]);
  const stage = await setStage(CURRENT, {
    turns: [...(inSubagent ? [agent, turn, 'Done in the sub-agent.'] : [turn]), 'Done.'],
  });
  const tempRoot = mkdtempSync(join(tmpdir(), 'i-'));
  roots.push(tempRoot);
  const hostHome = join(stage.folder, 'home');
  mkdirSync(join(hostHome, '.claude'));
  return { ...stage, hostHome, tempRoot, run: (isolation, rest) => run(isolation, rest) };

  async function run(isolation: IsolationConfig, rest: RunMore = {}): Promise<Outcome> {
    const messages: SDKMessage[] = [];
    const adapter = new ClaudeAgentAdapter({
      hostEnv: { PATH: process.env.PATH ?? '', HOME: hostHome, ...rest.hostEnv },
      hostHome,
      tempRoot,
      ...rest.adapter,
      clientConfig: {
        cwd: stage.cwd,
        pathToClaudeCodeExecutable: stage.cli.path,
        ...rest.client,
        isolation: { apiKey: KEY, ...isolation, env: { ...variables(), ...isolation.env } },
      },
    });
    const section = new MarkdownSection({ title: 'Task', key: 'task', template: 'Go.' });
    const prompt = new Prompt({ ns: 'live', key: 'isolation', sections: [section] });
    const response = await adapter.evaluate(prompt, {
      session: new Session(),
      signal: rest.signal,
      onMessage: (message) => {
        messages.push(message);
        rest.onMessage?.(message);
      },
    });
    const init = messages.find((message) => message.type === 'system' && message.subtype === 'init') as Extract<
      SDKMessage,
      { type: 'system'; subtype: 'init' }
    >;
    expect(init, 'a system/init message').toBeDefined();
    return { response, said: textsOf(messages), init };
  }

  function variables(): Record<string, string> {
    return {
      LANG: 'C.UTF-8',
      // Marks the processes of this stage.
      STAGE: stage.folder,
      ANTHROPIC_BASE_URL: stage.api.url,
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      // The live stage runs as root of a namespace of its own.
      ...(process.getuid?.() === 0 ? { IS_SANDBOX: '1' } : {}),
    };
  }
}

function blocksOf(calls: readonly Call[]) {
  return { blocks: calls.map(([name, input]) => ({ type: 'tool_use' as const, name, input })) };
}

function textsOf(messages: readonly SDKMessage[]): string[] {
  const blocks = messages.flatMap((message): unknown[] => {
    if (message.type !== 'assistant' && message.type !== 'user') return [];
    const { content } = message.message;
    return Array.isArray(content) ? [...content] : [];
  });
  const uses = blocks.filter(isJsonObject).filter((block) => block.type === 'tool_use');
  const results = blocks.filter(isJsonObject).filter((block) => block.type === 'tool_result');
  return uses.map((use) => {
    const result = results.find((each) => each.tool_use_id === use.id);
    expect(result, `a result for ${JSON.stringify(use.input)}`).toBeDefined();
    const content = result?.content;
    return typeof content === 'string' ? content : JSON.stringify(content);
  });
}
