import { expect } from 'vitest';
import { asking } from './answers.js';
import type { Dependent, Observation } from './dependent.js';
import { otlpProtobufSpans } from './digests/otlp-protobuf.js';
import { ALL_STORIES } from './stories.js';

/** How many values a label has. */
function count(run: Observation, label: string): number {
  return run.said[label]?.length ?? 0;
}

function expectCounts(run: Observation, counts: Readonly<Record<string, number>>): void {
  expect(Object.fromEntries(Object.keys(counts).map((label) => [label, count(run, label)]))).toEqual(counts);
}

/** Ours ends where the official text goes on with advice. */
const NO_EXECUTABLE: Required<Pick<Dependent, 'masks' | 'reasons'>> = {
  masks: [[/(?<=native binary not found at \/nowhere\/claude)\. Please .*/s, '']],
  reasons: ['The official text about a missing executable goes on with advice'],
};

const ACP: Dependent = {
  packageName: '@agentclientprotocol/claude-agent-acp',
  project: 'acp',
  program: 'acp-agent.mjs',
  shows: ['answer: initialize', 'answer: session/new'],
  quick: [],
  compared: 'every answer, update, notification and request that an editor gets',
  reasons: ['Updates of one tool call are merged: whether the question or the stream comes first is up to the clock'],
  stories: [
    asking('permissions', (run) => {
      expectCounts(run, { 'asked: session/request_permission': 4, 'answer: session/prompt': 7 });
    }),
    asking('abort', ({ said }) => {
      expect(said['answer: session/prompt']).toMatchObject([
        { value: { stopReason: 'cancelled' } },
        { value: { stopReason: 'end_turn' } },
      ]);
    }),
    asking('resume', (run) => {
      expectCounts(run, { 'answer: session/load': 2, 'answer: session/resume': 1, 'answer: session/fork': 1 });
      expect(run.said['answer: session/load']).toMatchObject([{ value: {} }, { error: {} }]);
      expect(JSON.stringify(run.asked.at(-1))).toContain('After loading.');
    }),
    asking('elicitation', (run) => {
      expectCounts(run, { 'asked: elicitation/create': 5 });
      const told = JSON.stringify(run.asked);
      for (const part of ['Ada', 'decline', 'cancel', '=\\"Blue\\"']) expect(told).toContain(part);
    }),
    asking('steering', ({ said }) => {
      expect(said['answer: _session/steering']).toMatchObject([
        { value: { outcome: 'promptRequired' } },
        { value: { outcome: 'injected' } },
      ]);
    }),
    asking('errors', ({ said }) => {
      expect(said['answer: session/prompt']).toMatchObject(Array.from({ length: 4 }, () => ({ error: {} })));
    }),
  ],
};

const AI_SDK: Dependent = {
  packageName: 'ai-sdk-provider-claude-code',
  ...NO_EXECUTABLE,
  project: 'ai-sdk',
  program: 'ai-sdk.mjs',
  shows: [],
  quick: [],
  compared: 'texts, stream parts, usage, cost, warnings and errors of the AI SDK',
  errors: ['error 400', 'error 429', 'error 500', 'bad flag', 'no executable', 'nobody'],
  stories: [
    asking('results', (run) => expectCounts(run, { text: 1, 'part: finish': 1 })),
    asking('tools', ({ said }) => {
      expect(said.tool).toEqual(['Nowhere', 'Rome']);
      expect(said['part: tool-result']).toHaveLength(1);
      expect(said['part: tool-error']).toHaveLength(1);
    }),
    asking('structured', ({ said }) => expect(said.object).toEqual([{ name: 'Ada', born: 1815 }])),
    asking('permissions', (run) => expectCounts(run, { asked: 2, hook: 1 })),
    asking('denied', (run) => expectCounts(run, { 'part: tool-error': 1 })),
    asking('abort', ({ said }) => expect(said.aborted).toEqual([true])),
    asking('resume', ({ said, asked }) => {
      expect(JSON.stringify(asked.at(-1))).toContain('And again.');
      expect(said).toHaveProperty(['sessions', 0, 0]);
      expect(said).toHaveProperty(['nobody', 0, 'name']);
    }),
    asking('errors', ({ said }) => {
      for (const label of ['error 400', 'error 429', 'error 500', 'bad flag', 'no executable']) {
        expect(said, label).toHaveProperty([label, 0, 'name']);
      }
    }),
  ],
};

const HARNESS: Dependent = {
  packageName: '@ai-sdk/harness-claude-code',
  way: '`HarnessAgent`, sandbox on this machine',
  project: 'ai-sdk-harness',
  program: 'ai-sdk-harness.mjs',
  shows: [],
  quick: [],
  compared: 'stream parts, texts, usage, cost, approvals and errors of the agent',
  stories: [
    asking('results', (run) => expectCounts(run, { 'part: finish': 1, generated: 1 })),
    asking('tools', ({ said }) => expect(said.tool).toEqual(['Nowhere', 'Rome'])),
    asking('permissions', ({ said }) => {
      expect(said['part: tool-approval-request']).toHaveLength(2);
      expect(said.made).toEqual([true, true]);
    }),
    asking('denied', ({ said, asked }) => {
      expect(said['part: finish']).toHaveLength(1);
      expect(JSON.stringify(asked.at(-1))).toContain('No such tool available');
    }),
    asking('abort', (run) => expectCounts(run, { 'part: abort': 1 })),
    asking('resume', ({ said, asked }) => {
      expect(said.generated?.length).toBeGreaterThanOrEqual(3);
      expect(JSON.stringify(asked)).toContain('And on.');
    }),
    // It shows an error of the API as an answer without a text.
    asking('errors', (run) => expectCounts(run, { 'part: finish': 4 })),
  ],
};

const MASTRA: Dependent = {
  packageName: '@mastra/claude',
  project: 'mastra',
  program: 'mastra.mjs',
  shows: ['span: agent_run', 'span: model_generation'],
  quick: [],
  compared: 'outputs, stream chunks, usage, cost, errors and spans',
  stories: [
    asking('results', (run) => expectCounts(run, { generate: 1, 'stream: text': 1, 'span: agent_run': 2 })),
    asking('tools', ({ said }) => {
      expect(said.tool).toEqual(['Nowhere', 'Rome']);
      expect(said['span: mcp_tool_call']).toMatchObject([{ error: {} }, { output: [{ text: 'Rome: clear' }] }]);
    }),
    asking('structured', ({ said }) => {
      expect(said.generate).toMatchObject([{ object: { name: 'Ada', born: 1815 } }]);
      expect(said['stream: object-result']).toEqual([{ name: 'Ada', born: 1815 }]);
    }),
    asking('permissions', (run) => expectCounts(run, { asked: 2, allow: 1, deny: 1, 'not asked': 1 })),
    asking('abort', (run) => expectCounts(run, { 'stream: text-delta': 1, 'stream: error': 1 })),
    asking('resume', ({ said, asked }) => {
      expect(said).toMatchObject({ resumed: [{}], continued: [{}], nobody: [{ message: expect.any(String) }] });
      expect(JSON.stringify(asked.at(-1))).toContain('And again.');
    }),
    asking('errors', ({ said }) => {
      for (const status of [400, 429, 500]) expect(said).toHaveProperty([`generate ${status}`, 0, 'message']);
      expect(said).toHaveProperty(['no executable', 0, 'message']);
    }),
  ],
  ...NO_EXECUTABLE,
};

const PROMPTFOO: Dependent = {
  packageName: 'promptfoo',
  way: '`promptfoo eval`',
  masks: [
    ...NO_EXECUTABLE.masks,
    [/\b(?:ReferenceError|CLINotFoundError)(?=: Claude Code native binary not found)/g, '<class>'],
    [/(?<=promptfoo-claude-agent-sdk-)\w{6}/g, '<name>'],
  ],
  reasons: [
    ...NO_EXECUTABLE.reasons,
    'promptfoo prints the class of an error: a missing executable is a `CLINotFoundError`, officially a `ReferenceError`',
    'promptfoo works in a temporary folder with a random name',
  ],
  project: 'promptfoo',
  program: 'promptfoo.mjs',
  shows: ['result', 'stats'],
  quick: [],
  compared: 'the results of the evaluation with outputs, grading, tokens, cost, tool calls and errors',
  stories: [
    asking('results', ({ said }) => expect(said.result).toMatchObject([{ success: true }, { success: true }])),
    asking('tools', ({ said }) => {
      expect(said.result).toMatchObject([{ answer: { metadata: { toolCalls: [{ is_error: true }, {}] } } }]);
    }),
    asking('denied', ({ said }) => {
      const denied = { answer: { metadata: { toolCalls: [{ name: 'Bash', is_error: true }] } } };
      expect(said.result).toMatchObject([denied, denied]);
    }),
    asking('questions', ({ said, asked }) => {
      expect(said.result).toHaveLength(2);
      expect(JSON.stringify(asked)).toContain('Red');
      expect(JSON.stringify(asked.at(-1))).toContain('disabled');
    }),
    asking('structured', ({ said }) => {
      expect(said.result).toMatchObject([{ success: true, answer: { output: { name: 'Ada', born: 1815 } } }]);
    }),
    asking('resume', ({ said, asked }) => {
      expect(said.result).toHaveLength(5);
      expect(said.result?.at(-1)).toMatchObject({ success: false });
      expect(JSON.stringify(asked.at(-1))).toContain('And again.');
    }),
    asking('errors', ({ said }) => {
      expect(said.result).toMatchObject(Array.from({ length: 5 }, () => ({ success: false })));
    }),
  ],
};

const LAMINAR: Dependent = {
  packageName: '@lmnr-ai/lmnr',
  way: '`wrapClaudeAgentQuery()`',
  project: 'lmnr',
  program: 'lmnr.mjs',
  env: (receiver) => ({ RECEIVER: receiver, LMNR_LOG_LEVEL: 'error' }),
  digest: otlpProtobufSpans,
  shows: ['span'],
  stories: ALL_STORIES,
  quick: [],
  compared: 'the tree of spans with their attributes, those of the model calls too, which its proxy makes',
};

/** Dependents that need Node 22, each in a folder of its own. */
export const NODE_22: readonly Dependent[] = [ACP, AI_SDK, HARNESS, MASTRA, PROMPTFOO, LAMINAR];
