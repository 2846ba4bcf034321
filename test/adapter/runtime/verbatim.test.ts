import { expect, test } from 'vitest';
import { AdapterConfigError } from '../../../src/adapter/errors/adapter-error.js';
import type { RuntimeQuery } from '../../../src/adapter/runtime/agent-runtime.js';
import { requireVerbatim } from '../../../src/adapter/runtime/require-verbatim.js';
import { FEATURES } from '../../../src/query/releases/honoured.js';

const isSent = (text: string, version: string | undefined): Promise<boolean> =>
  requireVerbatim(text, { cliVersion: async () => version } as RuntimeQuery).then(
    () => true,
    (error: unknown) => {
      expect(error).toBeInstanceOf(AdapterConfigError);
      return false;
    },
  );

test.each([
  ['2.1.248', true],
  ['2.1.330', true],
  ['2.2.0', true],
  ['3.0.0', true],
  ['2.1.247', false],
  ['2.0.999', false],
  ['1.9.999', false],
  ['odd', false],
  [undefined, false],
])('release %s: %s (I-4)', async (version, expected) => {
  expect(await isSent('/clear', version)).toBe(expected);
  expect(await isSent('look at @file', version)).toBe(expected);
});

test('it is the release from which `query()` takes `verbatimPrompts`', () => {
  const since = FEATURES.find(({ use }) => use === 'verbatimPrompts')?.since;
  expect(since).toBe('2.1.248');
});

test.each(['/config a=b', ' /clear', '\n/clear', '@a', 'a @a', '(@a', '文@a', 'a\n@a', '@"a b"'])(
  '%j is not sent to a release that would interpret it (I-13)',
  async (text) => {
    expect(await isSent(text, '2.0.0')).toBe(false);
  },
);

test.each(['Hello', 'a/b', 'Go.\n/not at the start', 'mail a@example.com', ''])(
  '%j is sent to every release, which is not asked for its version',
  async (text) => {
    let questions = 0;
    const cliVersion = async (): Promise<undefined> => {
      questions += 1;
    };
    await requireVerbatim(text, { cliVersion } as unknown as RuntimeQuery);
    expect(questions).toBe(0);
  },
);
