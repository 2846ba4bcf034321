import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { Tool } from '../../../src/adapter/prompt/tool.js';
import { withObjectRoot } from '../../../src/adapter/schema/api-schema.js';

const text = { type: 'string' };
const number = { type: 'number' };

describe('the root of a schema', () => {
  const table: readonly { name: string; given: object; sent: object }[] = [
    {
      name: 'an object stays as it is',
      given: { type: 'object', properties: { a: text } },
      sent: { type: 'object', properties: { a: text } },
    },
    { name: 'no type becomes an object', given: { properties: {} }, sent: { type: 'object', properties: {} } },
    { name: 'a list of types becomes an object', given: { type: ['object', 'null'] }, sent: { type: 'object' } },
    {
      name: 'a union lists the keys of all branches, and requires what all require',
      given: {
        description: 'd',
        oneOf: [
          { type: 'object', properties: { k: { const: 'a' }, x: text }, required: ['k', 'x'] },
          { type: 'object', properties: { k: { const: 'b' }, x: text, y: number }, required: ['k'] },
          { type: 'null' },
        ],
      },
      sent: {
        description: 'd',
        type: 'object',
        properties: { k: { anyOf: [{ const: 'a' }, { const: 'b' }] }, x: text, y: { anyOf: [number, {}] } },
        required: ['k'],
      },
    },
    {
      name: 'a union takes anything where a branch does not list the key',
      given: { anyOf: [{ properties: { a: text } }, { properties: { b: text }, additionalProperties: false }] },
      sent: { type: 'object', properties: { a: text, b: { anyOf: [text, {}] } } },
    },
    {
      name: 'an intersection requires what any part requires',
      given: {
        properties: { own: text },
        required: ['own'],
        allOf: [{ properties: { a: text }, required: ['a'] }, { $ref: '#/$defs/b' }],
        $defs: { b: { properties: { b: number }, required: ['b'] } },
      },
      sent: {
        type: 'object',
        properties: { own: text, a: text, b: number },
        required: ['own', 'a', 'b'],
        $defs: { b: { properties: { b: number }, required: ['b'] } },
      },
    },
    {
      name: 'a union that names itself ends',
      given: { anyOf: [{ $ref: '#' }, { properties: { a: text } }] },
      sent: { type: 'object', properties: { a: { anyOf: [text, {}] } } },
    },
    {
      name: 'a union inside stays',
      given: { type: 'object', properties: { a: { anyOf: [text, number] } } },
      sent: { type: 'object', properties: { a: { anyOf: [text, number] } } },
    },
  ];
  test.each(table)('$name', ({ given, sent }) => {
    const before = structuredClone(given);
    expect(withObjectRoot({ ...given }, 'Here')).toEqual(sent);
    expect(given).toEqual(before);
  });

  test('a tool may take a tagged union of zod', () => {
    const params = z.discriminatedUnion('op', [
      z.object({ op: z.literal('read'), path: z.string() }),
      z.object({ op: z.literal('list') }),
    ]);
    const { inputSchema } = new Tool({ name: 't', description: 'd', params });
    expect(inputSchema).toMatchObject({ type: 'object', required: ['op'] });
    // A tool refuses keys that its type does not list, so `path` is what the one branch says.
    expect(inputSchema.properties).toEqual({ op: { anyOf: expect.any(Array) }, path: { type: 'string' } });
    expect(['anyOf', 'oneOf', 'allOf'].filter((keyword) => keyword in inputSchema)).toEqual([]);
  });

  test.each([
    ['a branch that takes other keys', z.looseObject({ op: z.literal('list') }), { anyOf: [text, {}] }],
    ['a branch that refuses them', z.strictObject({ op: z.literal('list') }), text],
  ])('the key of another branch beside %s', (_, list, path) => {
    const params = z.discriminatedUnion('op', [z.object({ op: z.literal('read'), path: z.string() }), list]);
    const { inputSchema } = new Tool({ name: 't', description: 'd', params });
    expect(inputSchema.properties).toMatchObject({ path });
  });
});
