import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ClaudeClient } from '../../src/query/client.js';

const page = readFileSync(new URL('../../docs/sessions.md', import.meta.url), 'utf8');
const types = readFileSync(new URL('../../src/query/query-types.ts', import.meta.url), 'utf8');

/** The table of methods: name, and what the client calls it. */
const rows = [...page.matchAll(/^\| `(\w+)\([^`]*\)` \| .* \| (.*) \|$/gm)].map(([, name = '', client = '']) => ({
  name,
  client,
}));

describe('docs/sessions.md', () => {
  test('has every method of Query, and no other', () => {
    const body = /^export interface Query [\s\S]*?^}/m.exec(types)?.[0] ?? '';
    const methods = [...body.matchAll(/^ {2}(\w+)\(/gm)].map(([, name]) => name);
    expect(methods.length).toBeGreaterThan(10);
    const advice = 'one row each in the table "Methods of Query"';
    expect(rows.map(({ name }) => name).sort(), advice).toEqual(methods.sort());
  });

  test.each(rows)('says rightly what ClaudeClient has of $name', ({ name, client }) => {
    const has = (method: string): boolean => method in ClaudeClient.prototype;
    if (client === 'yes') expect(has(name)).toBe(true);
    else if (client === '-') expect(has(name)).toBe(false);
    else expect(has(client.replace(/\W/g, ''))).toBe(true);
  });
});
