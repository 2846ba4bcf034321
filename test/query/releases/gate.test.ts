import { describe, expect, test } from 'vitest';
import { SYSTEM_PROMPT_DYNAMIC_BOUNDARY } from '../../../src/constants.js';
import type { Diagnostic } from '../../../src/diagnostics.js';
import { CLIVersionError } from '../../../src/errors.js';
import type { Options } from '../../../src/query/options.js';
import { adaptTo } from '../../../src/query/releases/gate.js';
import { FEATURES } from '../../../src/query/releases/honoured.js';
import { isFromRelease, isRelease } from '../../../src/util/cli-versions.js';
import { plan } from '../launch/launch-case.js';

function adapted(release: string | undefined, options: Options) {
  const diagnostics: Diagnostic[] = [];
  const planned = plan(options);
  const { args, initialize } = adaptTo(release, planned, (diagnostic) => diagnostics.push(diagnostic));
  return { added: args.slice(planned.args.length), initialize, diagnostics };
}

const PLAIN = { permissionMode: 'default' } as const;

describe('a release that is too old', () => {
  for (const release of ['1.0.128', '2.0.0', '2.0.55']) {
    test(`no run is started with ${release}`, () => {
      expect(() => adapted(release, PLAIN)).toThrow(CLIVersionError);
      expect(() => adapted(release, PLAIN)).toThrow(`Claude Code ${release} is too old`);
    });
  }

  for (const release of ['2.0.56', '2.1.330', '3.0.0', 'newest', undefined]) {
    test(`a plain run is as it was with ${release}`, () => {
      expect(adapted(release, PLAIN)).toEqual({ added: [], initialize: {}, diagnostics: [] });
    });
  }
});

test('the parts of a system prompt are joined for releases that ignore a list', () => {
  const options = { ...PLAIN, systemPrompt: ['A', '', SYSTEM_PROMPT_DYNAMIC_BOUNDARY, 'B'] };
  expect(adapted('2.1.109', options).initialize).toEqual({ systemPrompt: 'A\n\nB' });
  expect(adapted('2.1.110', options).initialize).toEqual({});
});

describe('a sandbox that has to be there', () => {
  const refused: readonly Options[] = [
    { sandbox: { enabled: true } },
    { settings: { sandbox: { enabled: true, failIfUnavailable: true } } },
    { settings: '{"sandbox":{"enabled":true,"failIfUnavailable":true}}' },
    { extraArgs: { settings: '{"sandbox":{"enabled":true,"failIfUnavailable":true}}' } },
    { managedSettings: { sandbox: { enabled: true, failIfUnavailable: true } } },
  ];
  for (const options of refused) {
    test(`is refused before 2.1.83: ${JSON.stringify(options)}`, () => {
      const run = () => adapted('2.1.82', { ...PLAIN, ...options });
      expect(run).toThrow('Claude Code 2.1.82 does not honour `sandbox`, which needs 2.1.83 or newer.');
      expect(adapted('2.1.83', { ...PLAIN, ...options }).diagnostics).toEqual([]);
    });
  }

  test('is not asked for by one that may be missing, or is off', () => {
    const open: readonly Options[] = [
      { sandbox: { enabled: false } },
      { sandbox: { enabled: true, failIfUnavailable: false } },
      { settings: { sandbox: { enabled: true } } },
    ];
    for (const options of open) expect(adapted('2.1.82', { ...PLAIN, ...options }).added).toEqual([]);
  });
});

describe('releases that start in auto mode', () => {
  for (const release of ['2.1.285', '2.1.300', '2.1.301']) {
    test(`${release} gets the default mode`, () => {
      expect(adapted(release, { canUseTool: () => null }).added).toEqual(['--permission-mode=default']);
      expect(adapted(release, {}).added).toEqual(['--permission-mode=default']);
    });
  }

  test('a mode of the caller stays, and other releases get none', () => {
    const own: readonly Options[] = [
      { permissionMode: 'plan' },
      { extraArgs: { 'permission-mode': 'acceptEdits' } },
      { settings: { permissions: { defaultMode: 'plan' } } },
    ];
    for (const options of own) expect(adapted('2.1.300', options).added).toEqual([]);
    for (const release of ['2.1.284', '2.1.302']) expect(adapted(release, {}).added).toEqual([]);
  });
});

test('the table names releases that can be compared, each range from the first to the last', () => {
  for (const { since, except = [] } of FEATURES) {
    for (const each of [since ?? '2.0.56', ...except.flat()]) expect(isRelease(each)).toBe(true);
    for (const [first, last] of except) expect(isFromRelease(last, first)).toBe(true);
  }
});
