import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'rolldown/parseAst';
import { analyse } from 'scslre';
import { describe, expect, test } from 'vitest';
import { isConfiguration } from '../src/adapter/workspace/host-configuration.js';
import { checkCallToolResult } from '../src/mcp/call-tool-result.js';
import { matchDeniedModels } from '../src/settings/denied-models.js';
import { textPattern } from '../src/testing/conversion/templates.js';
import { Scrubber } from '../src/testing/recorder/scrub/scrubber.js';
import { isBatchScript } from '../src/transport/discovery.js';
import { isSecretName } from '../src/util/secrets.js';

const SOURCES = ['../src/', '../packages/cli/src/', '../packages/conformance/src/', '../packages/server/src/'].map(
  (folder) => fileURLToPath(new URL(folder, import.meta.url)),
);

interface Found {
  readonly where: string;
  readonly source: string;
  readonly flags: string;
}

/** Expressions that are put together at run time: the static check cannot read them. */
const BUILT_AT_RUN_TIME: Readonly<Record<string, string>> = {
  'settings/denied-models.ts': 'a family of the closed list, behind a fixed prefix',
  'adapter/agent/runtime-options.ts': "a caller's rule, against names of tools",
  'adapter/hooks/pre-tool-use.ts': "an entry of the session's policy, against names of tools",
  'util/strict-draft-07.ts': "`patternProperties` of the caller's schema, against its own `properties`",
  'util/unicode-pattern.ts': "`pattern` of the caller's schema is only compiled",
  'adapter/schema/extra-keys.ts': "`patternProperties` of the caller's schema",
  'compare/known-differences.ts': 'a table of this file, behind a constant prefix',
  'drift/compare-shapes.ts': 'wildcards of a file in the repository',
  'testing/player/patterns.ts': 'a matcher of the SDK under test',
  'testing/recorder/scrub/rules.ts': 'constant lists of words; measured below',
  'testing/recorder/scrub/scrubber.ts': 'an alternation of escaped texts',
  'testing/recorder/scrub/wrapped-base64.ts': 'constant; a run of letters is tried from its start alone',
  'util/secret-formats.ts': 'constant lists of prefixes; measured below',
  'util/secrets.ts': 'a constant list of words; measured below',
};

const found: Found[] = [];
const built = new Set<string>();
for (const folder of SOURCES) {
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (file.endsWith('.ts')) collect(file, readFileSync(folder + file, 'utf8'));
  }
}

function collect(file: string, text: string): void {
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { type, regex, callee, start } = node as {
      readonly type?: string;
      readonly regex?: { readonly pattern: string; readonly flags: string };
      readonly callee?: { readonly name?: string };
      readonly start?: number;
    };
    if (type === 'Literal' && regex !== undefined) {
      const line = text.slice(0, start).split('\n').length;
      found.push({ where: `${file}:${line}`, source: regex.pattern, flags: regex.flags });
    }
    if (callee?.name === 'RegExp') built.add(file);
    Object.values(node).forEach(visit);
  };
  visit(parseAst(text, { lang: 'ts' }));
}

describe('regular expressions', () => {
  test('the source is read', () => {
    expect(found.length).toBeGreaterThan(200);
  });

  test('none takes more than linear time in the length of a repeated character (C-2)', () => {
    const slow = found.flatMap(({ where, source, flags }) =>
      analyse({ source, flags }).reports.map(({ type }) => `${where} /${source}/${flags} ${type}`),
    );
    expect(slow).toEqual([]);
  });

  test('each that is built at run time is known, with the reason why it is bounded', () => {
    expect([...built].sort()).toEqual(Object.keys(BUILT_AT_RUN_TIME).sort());
  });
});

/**
 * A linear expression needs at most 3 seconds for such a text, a quadratic one minutes. The figure is that of the whole
 * process, so it has the work of the other test files in it.
 */
const LENGTH = 400_000;
const BUDGET_MICROSECONDS = 60_000_000;
const repeat = (text: string): string => text.repeat(LENGTH / text.length);

describe('hostile text costs little processor time (C-2)', () => {
  const scrubber = new Scrubber({ env: {}, cwd: '/work' });
  const image = (data: string) => () =>
    checkCallToolResult({ content: [{ type: 'image', data, mimeType: 'image/png' }] });
  const scrub = (text: string) => () => scrubber.text(text, 'out user');

  test.each<[string, () => unknown]>([
    ['image data of blanks', image(`${repeat(' ')}!`)],
    ['image data of blanks and letters', image(`${repeat('a ')}!`)],
    ['a secret-looking name of `max`', () => isSecretName(`token${repeat('max')}0`)],
    ['a secret-looking name of `key`', () => isSecretName(`${repeat('key')}0`)],
    ['a name of dots', () => isConfiguration([`${repeat('. ')}x`])],
    ['a path of dots', () => isBatchScript(`${repeat('. ')}x`)],
    ['a model of `claude`', () => matchDeniedModels([repeat('claude')], ['opus'])],
    ['a model of brackets', () => matchDeniedModels([`x${repeat(' [')}`], ['opus'])],
    ['scrubbed places that never end', () => textPattern(repeat('[scrubbed:'))],
    ['tokens that never end', scrub(repeat('eyJaaaaaa-'))],
    ['escapes of JSON in JSON', scrub(`{"[${repeat('\\\\')}`)],
    ['headers', scrub(repeat('authorization: bearer '))],
    ['assigned secrets', scrub(repeat('password = '))],
    ['assigned secrets that end in commas', scrub(`password=${repeat(',')}`)],
    ['assigned secrets without a value', scrub(repeat('password=;,'))],
    ['assigned secrets with suffixes', scrub(repeat('token_1_2'))],
    ['columns', scrub(`password:${repeat(' ')}`)],
    ['blanks beside a name', scrub(`${repeat(' ')}password`)],
    ['colours', scrub(`password=${repeat('\u001b[32m')}`)],
    ['calls', scrub(repeat('password: a((a)'))],
    ['quotes in values', scrub(`password=a${repeat('"!')}`)],
    ['blocks', scrub(repeat('password: |\n a\n a\n'))],
    ['texts in three quotes', scrub(repeat('password="""x'))],
    ['tags', scrub(repeat('password: &a !!b '))],
    ['values of pairs in a text', scrub(repeat('x {"value":"aaa","name":"token",'))],
    ['flags with quotes', scrub(repeat("--password '"))],
    ['names of keys', scrub(repeat('a_key_old='))],
    ['schemes', scrub(repeat('authorization: a-'))],
    ['schemes without a value', scrub(`authorization: ${repeat('api-key ')}`)],
    ['values of a scheme', scrub(repeat('authorization: a a'))],
    ...['sk_test_', 'glpat-', 'SG.aaaaaaaaaaaaaaaa.', 'xoxb-.xox', '1234567890:AA', 'gh_pat_github_', 'A'].map(
      (token): [string, () => unknown] => [`tokens that begin with ${token}`, scrub(repeat(token))],
    ),
    ['passwords of curl', scrub(repeat('curl -u a:'))],
    ['passwords of one curl', scrub(`curl ${repeat(' -u a:')}`)],
    ['passwords of mysql', scrub(`mysql ${repeat(' -p')}`)],
    ['passwords of docker', scrub(repeat('docker login -p '))],
    ['passwords of one docker', scrub(`docker login ${repeat(' -p')}`)],
    ['passwords of echo', scrub(repeat('echo a | '))],
    ['one password of echo', scrub(`echo ${repeat('a')} | x ${repeat('-stdin')}`)],
    ['passwords of vault', scrub(repeat('vault login -a '))],
    ['values in calls', scrub(repeat("set('token', '"))],
    ['names in calls', scrub(`set('${repeat('token_')}`)],
    ['attributes', scrub(repeat('<a key="token" value="'))],
    ['values of attributes', scrub(repeat('<a value="aaaa" key="'))],
    ['declarations', scrub(repeat('token: a = '))],
    ['a declaration of types', scrub(`token: ${repeat('a | ')} = "`)],
    ['variables without a sign', scrub(repeat('\nENV token '))],
    ['names that end in auth', scrub(repeat('_auth='))],
    ['a value of auth', scrub(`_auth=${repeat('a')}`)],
    ['passwords of .netrc', scrub(repeat('machine a login a password '))],
    ['parameters', scrub(repeat('?key=a&'))],
    ['parameters without a value', scrub(repeat('?key='))],
    ['flags in lists', () => scrubber.json(`[${repeat('"--token",')}1]`, 'out')],
    ['names in pairs', () => scrubber.json(`[[${repeat('"token",')}1]]`, 'out')],
    ['values in pairs', () => scrubber.json(`[{${'"name":"token","value":"a1b2",'.repeat(2000)}"x":1}]`, 'out')],
    ['private keys', scrub(repeat('-----BEGIN PRIVATE KEY-----'))],
    ['URLs', scrub(repeat('a://b:'))],
    ['passwords in URLs', scrub(`a://b:${repeat('c')}`)],
    ['passwords of slashes in URLs', scrub(repeat('://b:c/'))],
  ])('%s', (_, run) => {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    expect(user + system).toBeLessThan(BUDGET_MICROSECONDS);
  });
});
