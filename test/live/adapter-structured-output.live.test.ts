import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ClaudeAgentAdapter, MarkdownSection, Prompt, Session, Tool, ToolResult } from '../../src/adapter/index.js';
import { isJsonObject } from '../../src/util/json.js';
import { CURRENT } from './support/clis.js';
import { type Stage, setStage } from './support/stage.js';
import { call } from './support/turns.js';

/** The schema of a tool in the first request to the API. */
function toolSchema({ api }: Stage, name: string): unknown {
  const body = api.requests.find(({ kind }) => kind === 'main')?.body;
  const tools = isJsonObject(body) && Array.isArray(body.tools) ? body.tools : [];
  return tools.filter(isJsonObject).find((tool) => tool.name === name)?.input_schema;
}

function adapterOn(stage: Stage): ClaudeAgentAdapter {
  const { env = {}, cwd = stage.cwd } = stage.options();
  return new ClaudeAgentAdapter({
    hostEnv: env,
    uid: 1000,
    clientConfig: { cwd, pathToClaudeCodeExecutable: stage.cli.path, permissionMode: 'dontAsk' },
  });
}

const section = (tools: readonly Tool<unknown>[] = []) =>
  new MarkdownSection({ title: 'Task', key: 'task', template: 'Go.', tools });

describe(`types of the adapter, CLI ${CURRENT.version}`, () => {
  test('a schema of another draft, with tuples and unknown keywords, starts, and its output comes back', async () => {
    const value = { pair: ['a', 1], maybe: null, when: '2026-01-01T00:00:00Z' };
    const output = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        pair: { prefixItems: [{ type: 'string' }, { type: 'number' }], items: false },
        maybe: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        when: { type: 'string', format: 'date-time' },
      },
      required: ['pair'],
      unevaluatedProperties: false,
      'x-own': true,
    };
    const stage = await setStage(CURRENT, { turns: [call('StructuredOutput', value)] });
    const prompt = new Prompt({ ns: 'n', key: 'k', sections: [section()], output });
    const response = await adapterOn(stage).evaluate(prompt, { session: new Session() });
    expect(response.output).toEqual(value);
    expect(toolSchema(stage, 'StructuredOutput')).toMatchObject({
      type: 'object',
      properties: {
        pair: { items: { anyOf: [{ type: 'string' }, { type: 'number' }] } },
        maybe: { type: ['string', 'null'] },
      },
    });
  });

  test('every keyword that is passed on is one that the CLI takes', async () => {
    const each = {
      $comment: 'c',
      title: 't',
      description: 'd',
      default: {},
      examples: [{}],
      deprecated: true,
      readOnly: true,
      writeOnly: false,
      $id: 'https://example.com/all',
      $defs: { d: {} },
      definitions: { e: {} },
      type: 'object',
      propertyNames: { pattern: '^[a-z]+$', minLength: 1, maxLength: 9, format: 'hostname' },
      properties: {
        text: { type: 'string', nullable: true, contentEncoding: 'base64', contentMediaType: 'text/plain' },
        number: { type: 'number', minimum: 0, maximum: 9, exclusiveMinimum: -1, exclusiveMaximum: 10, multipleOf: 1 },
        list: {
          type: 'array',
          items: { enum: ['a'] },
          contains: { const: 'a' },
          minItems: 0,
          maxItems: 9,
          uniqueItems: true,
        },
        d: { $ref: '#/$defs/d' },
        e: { $ref: '#/definitions/e' },
      },
      patternProperties: { '^x': {} },
      additionalProperties: {},
      required: [],
      minProperties: 0,
      maxProperties: 99,
      allOf: [{ anyOf: [{}] }, { oneOf: [{}] }, { not: { type: 'null' } }],
      if: { required: ['text'] },
      ...Object.fromEntries([['then', { required: ['number'] }]]),
      else: {},
    };
    const value = { text: 'a', number: 1, list: ['a'] };
    const stage = await setStage(CURRENT, { turns: [call('StructuredOutput', value)] });
    const prompt = new Prompt({ ns: 'n', key: 'k', sections: [section()], output: each });
    const response = await adapterOn(stage).evaluate(prompt, { session: new Session() });
    expect(response.output).toEqual(value);
  });

  test('an array comes out of the object that it travels in', async () => {
    const stage = await setStage(CURRENT, { turns: [call('StructuredOutput', { items: [{ a: 1 }, { a: 2 }] })] });
    const output = z.object({ a: z.number() });
    const prompt = new Prompt({ ns: 'n', key: 'k', sections: [section()], output, outputContainer: 'array' });
    const response = await adapterOn(stage).evaluate(prompt, { session: new Session() });
    expect(response.output).toEqual([{ a: 1 }, { a: 2 }]);
  });

  test('a tool with a tuple reaches the API in the API’s draft, and is called', async () => {
    const got: unknown[] = [];
    const place = new Tool({
      name: 'place',
      description: 'Notes a place.',
      params: z.object({ at: z.tuple([z.string(), z.number()]) }),
      handler: ({ at }) => {
        got.push(at);
        return ToolResult.ok('noted');
      },
    });
    const stage = await setStage(CURRENT, { turns: [call('mcp__wink__place', { at: ['a', 1] }), 'Done.'] });
    const prompt = new Prompt({ ns: 'n', key: 'k', sections: [section([place])] });
    const response = await adapterOn(stage).evaluate(prompt, { session: new Session() });
    expect(response.text).toBe('Done.');
    expect(got).toEqual([['a', 1]]);
    expect(toolSchema(stage, 'mcp__wink__place')).toMatchObject({
      properties: { at: { prefixItems: [{ type: 'string' }, { type: 'number' }] } },
    });
  });

  test('a tool that takes a union reaches the API as one object, and is called', async () => {
    const got: unknown[] = [];
    const files = new Tool({
      name: 'files',
      description: 'Reads or lists.',
      params: z.discriminatedUnion('op', [
        z.object({ op: z.literal('read'), path: z.string() }),
        z.object({ op: z.literal('list') }),
      ]),
      handler: (params) => {
        got.push(params);
        return ToolResult.ok('done');
      },
    });
    const name = 'mcp__wink__files';
    const stage = await setStage(CURRENT, {
      turns: [call(name, { op: 'list', path: 'x' }), call(name, { op: 'read', path: 'x' }), 'Done.'],
    });
    const prompt = new Prompt({ ns: 'n', key: 'k', sections: [section([files])] });
    const response = await adapterOn(stage).evaluate(prompt, { session: new Session() });
    expect(response.text).toBe('Done.');
    // `path` belongs to the other branch: the schema that was sent allows it, the type does not.
    expect(got).toEqual([{ op: 'read', path: 'x' }]);
    expect(toolSchema(stage, name)).toMatchObject({
      type: 'object',
      properties: { op: {}, path: { type: 'string' } },
      required: ['op'],
    });
    expect(toolSchema(stage, name)).not.toHaveProperty('oneOf');
  });
});
