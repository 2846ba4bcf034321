import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { resolveLimits } from '../src/host/limits.js';
import { EVENTS } from '../src/http/event-schemas.js';
import { openApi } from '../src/http/openapi.js';
import { STATUS } from '../src/http/problem.js';
import { ROUTES, type Route } from '../src/http/routes.js';
import { APPROVALS, CONVERSATION } from '../src/http/schemas.js';

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
const README = read('../README.md');

/** The cells of the table of a section. */
function tableOf(heading: string): readonly (readonly string[])[] {
  const [, section = ''] = README.split(`\n## ${heading}\n`);
  const [table = ''] = /(?:^\|.*\n)+/m.exec(section.split('\n## ')[0] ?? '') ?? [];
  return table
    .split('\n')
    .slice(2, -1)
    .map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly oneOf?: readonly Schema[];
  readonly const?: string;
  readonly enum?: readonly string[];
  readonly items?: Schema;
}

/** Longer lists of values are in tables of their own. */
const MAX_VALUES = 4;

/** Fields as the tables name them: with `?` where they may be missing, and their values where these are few. */
function fieldsOf({ oneOf, properties = {}, required = [] }: Schema, without: readonly string[] = []): string {
  if (oneOf !== undefined) return oneOf.map((each) => fieldsOf(each)).join('; or ');
  const named = Object.entries(properties).filter(([name]) => !without.includes(name));
  const fields = named.map(([name, schema]) => {
    const values = schema.const === undefined ? (schema.enum ?? []) : [schema.const];
    const isShown = values.length > 0 && values.length <= MAX_VALUES;
    const field = `\`${name}${required.includes(name) ? '' : '?'}\``;
    return isShown ? `${field} (${values.map((value) => `\`${value}\``).join(', ')})` : field;
  });
  return fields.join(', ');
}

/** What each route has, by whether it names a conversation and takes a body. */
const COMMON = [400, 401, 403, 500];
const OF_ID = [404];
const OF_BODY = [413, 415];

function rowOf(route: Route): readonly string[] {
  const { method, path, body, query = {}, headers = {}, answer, contentType, status, refusals = [] } = route;
  const takes = [
    ...(body === undefined ? [] : [fieldsOf(body)]),
    ...Object.keys(query).map((name) => `query \`${name}\``),
    ...Object.keys(headers).map((name) => `header \`${name}\``),
  ];
  const answers = contentType === undefined ? fieldsOf(answer ?? {}) : `\`${contentType}\``;
  const own = [...new Set(refusals.map((code) => STATUS[code]))].filter((each) => !COMMON.includes(each));
  return [
    `\`${method} ${path}\``,
    takes.join(', '),
    answer === CONVERSATION ? 'a conversation' : answers,
    [status, ...own.sort()].join(', '),
  ];
}

describe('README.md', () => {
  test('has every route with what it takes, answers and refuses', () => {
    expect(tableOf('Routes')).toEqual(ROUTES.map(rowOf));
    expect(README).toContain(`A conversation has ${fieldsOf(CONVERSATION)}.`);
    const { items = {} } = (APPROVALS.properties as Readonly<Record<string, Schema>>).approvals ?? {};
    expect(README).toContain(`An approval has\n${fieldsOf(items)}.`);
  });

  test('says which statuses routes have in common', () => {
    const { paths } = openApi() as { paths: Record<string, Record<string, { responses: object }>> };
    for (const { method, path, body, status, refusals = [] } of ROUTES) {
      const { responses = {} } = paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()] ?? {};
      const shared = [...COMMON, ...(path.includes(':') ? OF_ID : []), ...(body === undefined ? [] : OF_BODY)];
      const all = new Set([status, ...shared, ...refusals.map((code) => STATUS[code])]);
      expect(Object.keys(responses).map(Number).sort(), `${method} ${path}`).toEqual([...all].sort());
    }
  });

  test('has every event with its fields', () => {
    const rows = Object.entries<Schema>(EVENTS).map(([type, schema]) => [
      `\`${type}\``,
      fieldsOf(schema, ['at', 'type']),
    ]);
    expect(tableOf('Events').map(([type, fields]) => [type, fields])).toEqual(rows);
  });

  test('has every limit with its default and unit', () => {
    const units = [
      ['Ms', 'ms'],
      ['Mb', 'MiB'],
      ['Length', 'characters'],
      ['BytesPerTenant', 'bytes'],
    ] as const;
    const shared = { processesPerTenant: 'processes', queuedPerTenant: 'queue', viewersPerTenant: 'viewers' };
    const rows = Object.entries(resolveLimits()).map(([name, value]) => {
      const of = Object.entries(shared).find(([each]) => each === name)?.[1];
      const unit = units.find(([end]) => name.endsWith(end))?.[1] ?? '';
      return [`\`${name}\``, of === undefined ? value.toLocaleString('en') : `\`${of}\``, unit];
    });
    expect(resolveLimits({ processes: 2, queue: 3, viewers: 4 })).toMatchObject({
      ...{ processesPerTenant: 2, queuedPerTenant: 3, viewersPerTenant: 4, backgroundPerTenant: 1 },
    });
    const inReadme = tableOf('Limits').map((cells) => cells.slice(0, 3));
    expect([...inReadme].sort()).toEqual(rows.sort());
  });

  test('installs claudewire once, as the guide does: a folder would bring a second copy', () => {
    for (const page of [README, read('../../../docs/web-server.md')]) {
      expect(page).toContain('npm pack && npm pack -w packages/server');
      expect(page).toMatch(/^npm install \S*\/claudewire\*\.tgz/m);
    }
  });
});
