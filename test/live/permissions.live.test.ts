import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CanUseTool } from '../../src/control/permission-types.js';
import { ClaudeClient, type Options, query } from '../../src/index.js';
import { BOTH, CURRENT } from './support/clis.js';
import { collect, results, resultTexts, toolResults } from './support/collect.js';
import { recordedShape, shapeOf } from './support/recorded.js';
import { expectVersion, type Stage, setStage } from './support/stage.js';
import { TOUCH } from './support/turns.js';
import { UserTurns } from './support/user-turns.js';

/** Newer releases say so in words. */
const NO_OUTPUT = expect.stringMatching(/^(\(Bash completed with no output\))?$/);

describe.each(BOTH)('permissions, CLI $version', (cli) => {
  const cases: readonly {
    name: string;
    recording: string;
    answer: CanUseTool;
    made: readonly string[];
    toolResult: { text: unknown; isError: boolean };
  }[] = [
    {
      name: 'an allow with the same input runs the tool',
      recording: 'can-use-tool-allow',
      answer: async (_tool, input) => ({ behavior: 'allow', updatedInput: input }),
      made: ['made.txt'],
      toolResult: { text: NO_OUTPUT, isError: false },
    },
    {
      name: 'an allow with an updated input runs the tool with that',
      recording: 'can-use-tool-updated-input',
      answer: async (_tool, input) => ({ behavior: 'allow', updatedInput: { ...input, command: 'touch other.txt' } }),
      made: ['other.txt'],
      toolResult: { text: NO_OUTPUT, isError: false },
    },
    {
      name: 'a deny keeps the tool from running and tells the model why',
      recording: 'can-use-tool-deny',
      answer: async () => ({ behavior: 'deny', message: 'Not today.' }),
      made: [],
      toolResult: { text: 'Not today.', isError: true },
    },
  ];
  for (const { name, recording, answer, made, toolResult } of cases) {
    test(name, async () => {
      const stage = await setStage(cli, { turns: [TOUCH, 'After the tool.'] });
      const asked: { tool: string; input: Record<string, unknown> }[] = [];
      const { messages, error } = await collect(
        query({
          prompt: 'Make a file.',
          options: stage.options({
            canUseTool: async (tool, input, options) => {
              asked.push({ tool, input });
              return answer(tool, input, options);
            },
          }),
        }),
      );
      expect(error).toBeUndefined();
      expectVersion(stage, messages);
      expect(asked).toEqual([{ tool: 'Bash', input: { command: 'touch made.txt', description: 'Make a file' } }]);
      expect(filesMade(stage)).toEqual(made);
      expect(toolResults(messages)).toEqual([toolResult]);
      expect(resultTexts(messages)).toEqual(['After the tool.']);
      expect(stage.mainCalls()).toHaveLength(2);
      if (cli === CURRENT) expect(shapeOf(messages)).toEqual(recordedShape(recording));
    });
  }

  test('a deny with interrupt ends the turn, and the next one runs', async () => {
    const stage = await setStage(cli, { turns: [TOUCH, 'After the tool.'] });
    const prompt = new UserTurns('Make a file.', 'Are you there?');
    const { messages, error } = await collect(
      query({
        prompt,
        options: stage.options({
          canUseTool: async () => ({ behavior: 'deny', message: 'Stop here.', interrupt: true }),
        }),
      }),
      (message) => {
        if (message.type === 'result') prompt.next();
      },
    );
    expect(error).toBeUndefined();
    expectVersion(stage, messages);
    expect(filesMade(stage)).toEqual([]);
    expect(results(messages).map((result) => result.subtype)).toEqual(['error_during_execution', 'success']);
    expect(stage.mainCalls()).toHaveLength(2);
    if (cli === CURRENT) {
      expect(shapeOf(messages)).toEqual(recordedShape('can-use-tool-deny-interrupt'));
    }
  });
});

describe('an allow without updatedInput', () => {
  // Releases before 2.1.207 refuse it as misshapen and run nothing, so the input that was asked about goes with it.
  const fronts = {
    'query()': (options: Options) => query({ prompt: 'Make a file.', options }),
    ClaudeClient: async function* (options: Options) {
      await using client = new ClaudeClient(options);
      await client.connect('Make a file.');
      yield* client.receiveResponse();
    },
  };
  test.each(BOTH.flatMap((cli) => Object.entries(fronts).map(([front, start]) => ({ front, start, cli }))))(
    '$front, CLI $cli.version: the tool runs',
    async ({ start, cli }) => {
      const stage = await setStage(cli, { turns: [TOUCH, 'After the tool.'] });
      const { messages, error } = await collect(
        start(stage.options({ canUseTool: async () => ({ behavior: 'allow' }) })),
      );
      expect(error).toBeUndefined();
      expectVersion(stage, messages);
      expect(toolResults(messages).map((result) => result.isError)).toEqual([false]);
      expect(filesMade(stage)).toEqual(['made.txt']);
    },
  );
});

function filesMade({ cwd }: Stage): readonly string[] {
  return ['made.txt', 'other.txt'].filter((name) => existsSync(join(cwd, name)));
}

test('a busy loop has seen the call before canUseTool is asked about it', async () => {
  const stage = await setStage(CURRENT, { turns: [TOUCH, 'After the tool.'] });
  const seen: string[] = [];
  const run = query({
    prompt: 'Make a file.',
    options: stage.options({
      canUseTool: async (_tool, _input, { toolUseID }) => {
        seen.push(`asked ${toolUseID}`);
        return { behavior: 'allow' };
      },
    }),
  });
  const busy = new Int32Array(new SharedArrayBuffer(4));
  for await (const message of run) {
    // As a host that renders: meanwhile the question arrives in the same read as the call.
    Atomics.wait(busy, 0, 0, 300);
    await null;
    if (message.type !== 'assistant') continue;
    for (const block of message.message.content) if (block.type === 'tool_use') seen.push(`called ${block.id}`);
  }
  const id = seen[0]?.split(' ')[1];
  expect(seen).toEqual([`called ${id}`, `asked ${id}`]);
});
