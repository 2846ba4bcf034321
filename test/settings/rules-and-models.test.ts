import { describe, expect, test } from 'vitest';
import {
  filterEscalatingDefaultMode,
  matchDeniedModels,
  type ResolvedSettingSource,
  type ResolvedSettings,
} from '../../src/index.js';
import { allowRules, askAndDenyRules } from '../../src/settings/nested-settings.js';

describe('permission rules of a settings file (TS-185)', () => {
  const rules: [rule: unknown, allow: boolean, deny: boolean][] = [
    ['Bash', true, true],
    ['Bash(ls:*)', true, true],
    ['Bash(a b)', true, true],
    ['Edit(a)(b)', true, true],
    ['WebFetch(domain:*.example)', true, true],
    ['WebSearch(*)', true, true],
    ['mcp__x', true, true],
    ['mcp__x__*', true, true],
    ['mcp__x__y*', true, true],
    ['*', false, true],
    ['B*', false, true],
    ['mcp__*', false, true],
    ['mcp__*__y', false, true],
    ['mcp__x*', false, true],
    ['bash', false, false],
    ['Bash(', false, false],
    ['Bash)', false, false],
    ['Bash()', false, false],
    ['Bash(:*)', false, false],
    ['Bash(a)b', false, false],
    ['Bash(a\\)', false, false],
    ['Read(a:*)', false, false],
    ['WebFetch(https://a.example)', false, false],
    ['WebSearch(x*)', false, false],
    ['mcp__x(a)', false, false],
    ['', false, false],
    [5, false, false],
    [null, false, false],
  ];
  for (const [rule, allow, deny] of rules) {
    test(`${JSON.stringify(rule)}: allow ${allow}, deny and ask ${deny}`, () => {
      expect(allowRules([rule])).toEqual(allow ? [rule] : []);
      expect(askAndDenyRules([rule])).toEqual(deny ? [rule] : []);
    });
  }
});

describe('matchDeniedModels (TS-185)', () => {
  const cases: { entry: string; blocks: string[]; not: string[]; warns: boolean }[] = [
    {
      entry: 'opus',
      blocks: ['opus', 'opus[1m]', 'claude-opus-4-1', 'claude-3-opus-20240229', 'my-claude-opus-x'],
      not: ['opusplan', 'sonnet', 'claude-sonnet-4-5'],
      warns: false,
    },
    {
      entry: 'claude-opus-4-1',
      blocks: [
        'claude-opus-4-1',
        'CLAUDE-OPUS-4-1',
        'claude-opus-4-1-20250805',
        'claude-opus-4-1@20250805',
        'claude-opus-4-1[1m]',
        'us.anthropic.claude-opus-4-1-20250805-v1:0',
        'arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-opus-4-1-20250805-v1:0',
      ],
      not: ['opus', 'claude-opus-4', 'claude-opus-4-10', 'claude-opus-4.1', 'my-claude-opus-4-1', ''],
      warns: false,
    },
    {
      entry: 'claude-opus-4',
      blocks: ['claude-opus-4', 'claude-opus-4-10'],
      not: ['claude-opus-5', 'opus'],
      warns: false,
    },
    {
      entry: 'claude-opus-4-0',
      blocks: ['claude-opus-4', 'claude-opus-4-20250514'],
      not: ['claude-opus-4-1'],
      warns: false,
    },
    { entry: 'claude-opus-4-1-20250805', blocks: ['claude-opus-4-1', 'claude-opus-4-1-latest'], not: [], warns: true },
    { entry: 'sonnet[1m]', blocks: ['claude-sonnet-4-5'], not: ['claude-opus-4-1'], warns: true },
    { entry: 'foo', blocks: ['foo', 'FOO', ' foo '], not: ['foo-1'], warns: true },
    { entry: 'claude-opus-4.1', blocks: ['claude-opus-4.1'], not: ['claude-opus-4-1'], warns: true },
    { entry: 'default', blocks: [], not: ['default', 'opus'], warns: true },
    { entry: 'opusplan', blocks: [], not: ['opusplan', 'opus'], warns: true },
    { entry: ' ', blocks: [], not: ['', ' '], warns: true },
  ];
  for (const { entry, blocks, not, warns } of cases) {
    test(`${JSON.stringify(entry)} blocks ${blocks.length}, leaves ${not.length}`, async () => {
      const { denied, warnings } = await matchDeniedModels([...blocks, ...not], [entry]);
      expect(denied).toEqual([...blocks.map(() => true), ...not.map(() => false)]);
      expect(warnings.length).toBe(warns ? 1 : 0);
    });
  }

  const odd: { models: unknown; list: unknown; denied: boolean[]; warnings: RegExp[] }[] = [
    { models: ['a'], list: undefined, denied: [false], warnings: [] },
    { models: ['a'], list: null, denied: [false], warnings: [] },
    { models: ['a'], list: 'a', denied: [false], warnings: [/deniedModels must be a list/] },
    { models: 'a', list: ['opus'], denied: [], warnings: [/models must be a list/] },
    {
      models: [1, 'a'],
      list: ['a', 5, 'a'],
      denied: [false, true],
      warnings: [/"a" blocks this one/, /no model name \(number 5\)/, /no model name \(number 1\)/],
    },
  ];
  for (const { models, list, denied, warnings } of odd) {
    test(`nothing is thrown for ${JSON.stringify({ models, list })}`, async () => {
      const result = await matchDeniedModels(models as string[], list as string[]);
      expect(result.denied).toEqual(denied);
      expect(result.warnings.length).toBe(warnings.length);
      for (const [index, pattern] of warnings.entries()) expect(result.warnings[index]).toMatch(pattern);
    });
  }
});

describe('filterEscalatingDefaultMode (TS-185)', () => {
  const resolved = (mode: string, ...tiers: [ResolvedSettingSource, string?][]): ResolvedSettings =>
    ({
      effective: { permissions: { defaultMode: mode, allow: ['A'] }, model: 'x' },
      provenance: {},
      sources: tiers.map(([source, set]) => ({
        source,
        settings: { permissions: set === undefined ? {} : { defaultMode: set } },
      })),
      // The modes that these tests try are not all of the type.
    }) as ResolvedSettings;
  const cases: { name: string; given: ResolvedSettings; kept: boolean }[] = [
    { name: 'acceptEdits of the project', given: resolved('acceptEdits', ['project', 'acceptEdits']), kept: false },
    { name: 'acceptEdits of the local file', given: resolved('acceptEdits', ['local', 'acceptEdits']), kept: true },
    { name: 'auto of the local file', given: resolved('auto', ['local', 'auto']), kept: false },
    {
      name: 'bypassPermissions of the local file',
      given: resolved('bypassPermissions', ['local', 'bypassPermissions']),
      kept: false,
    },
    {
      name: 'bypassPermissions of the user',
      given: resolved('bypassPermissions', ['user', 'bypassPermissions']),
      kept: true,
    },
    {
      name: 'bypassPermissions of a policy over the project',
      given: resolved('bypassPermissions', ['project', 'bypassPermissions'], ['managed', 'bypassPermissions']),
      kept: true,
    },
    {
      name: 'acceptEdits of the project under a file that is silent',
      given: resolved('acceptEdits', ['project', 'acceptEdits'], ['local']),
      kept: false,
    },
    { name: 'plan of the project', given: resolved('plan', ['project', 'plan']), kept: true },
    { name: 'an inherited name', given: resolved('constructor', ['project', 'constructor']), kept: true },
  ];
  for (const { name, given, kept } of cases) {
    test(`${name}: ${kept ? 'kept' : 'dropped'}`, () => {
      const before = structuredClone(given);
      const result = filterEscalatingDefaultMode(given);
      expect(given).toEqual(before);
      if (kept) expect(result).toBe(given.effective);
      else expect(result).toEqual({ permissions: { allow: ['A'] }, model: 'x' });
    });
  }

  test('what is no result is refused by name', () => {
    for (const value of [null, undefined, {}, { effective: {} }]) {
      expect(() => filterEscalatingDefaultMode(value as unknown as ResolvedSettings)).toThrow(
        /^filterEscalatingDefaultMode\(\) takes what resolveSettings\(\) resolves to, got /,
      );
    }
  });
});
