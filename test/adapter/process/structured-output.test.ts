import { describe, expect, test } from 'vitest';
import {
  OutputParseError,
  PromptEvaluationError,
  StructuredOutputRetriesError,
} from '../../../src/adapter/errors/evaluation-errors.js';
import { ClaudeAgentAdapter } from '../../../src/adapter/evaluate/claude-agent-adapter.js';
import type { ClaudeAgentClientConfig } from '../../../src/adapter/evaluate/client-config.js';
import type { AdapterLogger, LogRecord } from '../../../src/adapter/logging/log.js';
import { Prompt } from '../../../src/adapter/prompt/prompt.js';
import { MarkdownSection } from '../../../src/adapter/prompt/section.js';
import type { PromptResponse } from '../../../src/adapter/report/run-report.js';
import type { TypeSpec } from '../../../src/adapter/schema/type-spec.js';
import { Session } from '../../../src/adapter/state/session.js';
import type { Frames, ScriptItem } from '../../../src/testing/index.js';
import { play, type Stage } from '../support/play.js';

const PERSON = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer' } },
  required: ['name', 'age'],
};
const ADA = { name: 'Ada', age: 36 };
const task = () => new MarkdownSection({ title: 'Task', key: 'task', template: 'Who?' });
const fields = () => ({ ns: 'test', key: 'who', sections: [task()] });
const typed = (output: TypeSpec<unknown> = PERSON) => new Prompt({ ...fields(), output });

/** A turn that ends as the CLI ends one with an output: the call, its result, the output and its text. */
function given({ prompt, init, toolUse, toolResult, result }: Frames, output: unknown): ScriptItem {
  const input = output as Record<string, unknown>;
  return [
    prompt(),
    init(),
    toolUse('StructuredOutput', input),
    toolResult('Structured output provided successfully'),
    result(JSON.stringify(output), {
      structured_output: output,
      stop_reason: 'tool_use',
      terminal_reason: 'completed',
    }),
  ];
}

interface Ran {
  readonly response: PromptResponse<unknown> | undefined;
  readonly error: unknown;
  readonly records: readonly (LogRecord & { readonly level: string })[];
  readonly session: Session;
}

async function evaluate(
  stage: Stage,
  prompt: Prompt<unknown>,
  config: Partial<ClaudeAgentClientConfig> = {},
): Promise<Ran> {
  const records: (LogRecord & { level: string })[] = [];
  const at = (level: string) => (_: string, record: LogRecord) => void records.push({ ...record, level });
  const logger: AdapterLogger = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  const { machine } = stage;
  const adapter = new ClaudeAgentAdapter({ ...machine, logger, clientConfig: { ...machine.clientConfig, ...config } });
  const session = new Session();
  try {
    const response = await adapter.evaluate(prompt, { session });
    return { response, error: undefined, records, session };
  } catch (error) {
    return { response: undefined, error, records, session };
  }
}

/** What the CLI was told of the output, as an option and in the handshake. */
function formatsSent(stage: Stage): unknown[] {
  const argv = stage.sent.argv[0] ?? [];
  const option = argv.find((each) => each.startsWith('--json-schema='));
  return [
    option === undefined ? undefined : JSON.parse(option.slice('--json-schema='.length)),
    stage.sent.initialize[0]?.jsonSchema,
  ];
}

const GOOD = { recordings: ['structured-output'] };

describe('structured output, over a process', () => {
  test('the schema is sent, and the output is the value that the CLI gives (AD-197, AD-199)', async () => {
    await using stage = play((frames) => given(frames, ADA), GOOD);
    const { response } = await evaluate(stage, typed());
    expect(formatsSent(stage)).toEqual([PERSON, PERSON]);
    expect(response?.output).toEqual(ADA);
  });

  test('without an output no schema is sent, and the output is null whatever comes (AD-198)', async () => {
    await using stage = play((frames) => given(frames, ADA), GOOD);
    const { response } = await evaluate(stage, new Prompt(fields()));
    expect(formatsSent(stage)).toEqual([undefined, undefined]);
    expect(response?.output).toBeNull();
    expect(response?.text).toBe(JSON.stringify(ADA));
  });

  test('keys that the type does not list are dropped (AD-200)', async () => {
    await using stage = play((frames) => given(frames, { ...ADA, mood: 'fine' }), GOOD);
    expect((await evaluate(stage, typed())).response?.output).toEqual(ADA);
  });

  test('an output that does not fit is an OutputParseError with the raw value (AD-201)', async () => {
    const raw = { name: 'Ada', age: 'old' };
    await using stage = play((frames) => given(frames, raw), GOOD);
    const { error, session } = await evaluate(stage, typed(), { outputValidation: 'throw' });
    expect(error).toBeInstanceOf(OutputParseError);
    expect(error).toMatchObject({ phase: 'response', rawOutput: raw, issues: [{ path: 'age' }] });
    // What was paid for is not lost.
    expect(error).toMatchObject({
      partial: { text: JSON.stringify(raw), usage: { inputTokens: 10, outputTokens: 5 } },
    });
    expect(session.events().map(({ type }) => type)).toEqual(['promptRendered']);
  });

  test.each([7, '7', true, [1], { name: 'Ada', age: ['36'] }])(
    'the raw value %j stays what it was (AD-201)',
    async (raw) => {
      await using stage = play(
        ({ prompt, init, result }) => [prompt(), init(), result(JSON.stringify(raw), { structured_output: raw })],
        GOOD,
      );
      const { error } = await evaluate(stage, typed(), { outputValidation: 'throw' });
      expect(error).toBeInstanceOf(OutputParseError);
      expect(error).toHaveProperty('rawOutput', raw);
    },
  );

  test('or, when asked for, a warning, no output and the text (AD-202)', async () => {
    const raw = { name: 'Ada', age: 'old' };
    await using stage = play((frames) => given(frames, raw), GOOD);
    const { response, records } = await evaluate(stage, typed(), { outputValidation: 'warn' });
    expect(response).toMatchObject({ output: null, text: JSON.stringify(raw) });
    const found = records.filter(({ event }) => event === 'parse.structured_output_error');
    expect(found).toMatchObject([{ level: 'warn', context: { error: expect.stringContaining('age') } }]);
  });

  test('a model that never gets it right is a StructuredOutputRetriesError (AD-203)', async () => {
    await using stage = play(({ prompt, outcome }) => [prompt(), outcome.structuredOutputFailed()], {
      recordings: ['structured-output-failure'],
    });
    const { error } = await evaluate(stage, typed());
    expect(error).toBeInstanceOf(StructuredOutputRetriesError);
    expect(error).toMatchObject({ phase: 'response' });
  });

  test('an array travels in an object, and comes out of it (AD-204)', async () => {
    await using stage = play((frames) => given(frames, { items: [ADA, ADA] }), GOOD);
    const prompt = new Prompt({ ...fields(), output: PERSON, outputContainer: 'array' });
    const { response } = await evaluate(stage, prompt);
    const wrapped = { type: 'object', properties: { items: { type: 'array', items: PERSON } }, required: ['items'] };
    expect(formatsSent(stage)).toEqual([wrapped, wrapped]);
    expect(response?.output).toEqual([ADA, ADA]);
  });

  test('neither text nor output is an error that counts the messages (AD-206)', async () => {
    await using stage = play(({ prompt, init, result }) => [prompt(), init(), result('')], {
      recordings: ['structured-output-text-only'],
    });
    const { error } = await evaluate(stage, typed());
    expect(error).toBeInstanceOf(PromptEvaluationError);
    expect(error).toMatchObject({ phase: 'response', providerPayload: { messageCounts: { result: 1, system: 1 } } });
  });

  test('text alone is returned, without an output (AD-207)', async () => {
    await using stage = play(({ turn }) => turn('I would rather not.'), {
      recordings: ['structured-output-text-only'],
    });
    const { response, error } = await evaluate(stage, typed());
    expect(error).toBeUndefined();
    expect(response).toMatchObject({ text: 'I would rather not.', output: null });
  });

  test('an output that only the hook saw is returned (AD-208)', async () => {
    await using stage = play(
      ({ prompt, init, toolUse, toolResult, hook, result }) => [
        prompt(),
        init(),
        toolUse('StructuredOutput', ADA),
        hook('PostToolUse', { tool_response: 'Structured output provided successfully' }),
        toolResult('Structured output provided successfully'),
        result('', { terminal_reason: 'hook_stopped', stop_reason: 'tool_use' }),
      ],
      { recordings: ['hook-structured-output-stop'] },
    );
    const { response, error } = await evaluate(stage, typed());
    expect(error).toBeUndefined();
    expect(stage.sent.hookOutputs).toMatchObject([{ output: { continue: false } }]);
    expect(response?.output).toEqual(ADA);
  });

  test.each([{ value: 0 }, { value: false }, { value: '' }, { value: [] }])(
    '$value is a value where the type allows it (AD-209)',
    async ({ value }) => {
      const anything = { type: ['object', 'array', 'string', 'number', 'boolean'] };
      await using stage = play((frames) => given(frames, value), GOOD);
      const { response, error } = await evaluate(stage, typed(anything));
      expect(error).toBeUndefined();
      expect(response?.output).toEqual(value);
    },
  );

  test('a conversation gives the output of each turn (AD-210)', async () => {
    const second = { name: 'Bob', age: 7 };
    await using stage = play((frames) => [given(frames, ADA), given(frames, second)], GOOD);
    const adapter = new ClaudeAgentAdapter({ ...stage.machine });
    const conversation = await adapter.openConversation(typed(), { session: new Session() });
    try {
      expect((await conversation.send('First')).output).toEqual(ADA);
      expect((await conversation.send('Second')).output).toEqual(second);
    } finally {
      await conversation.close();
    }
  });
});
