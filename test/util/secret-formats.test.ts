import '../helpers/property-seed.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Scrubber } from '../../src/testing/recorder/scrub/scrubber.js';
import { FORMATS, TOKEN_HINT, TOKENS, tokenKind } from '../../src/util/secret-formats.js';
import { withoutKnownForms } from '../../src/util/secrets.js';

/** Tokens of one form. What must not follow is left to the sign behind it. */
function tokensOf([, prefix, rest]: (typeof FORMATS)[number]): fc.Arbitrary<string> {
  return fc.stringMatching(new RegExp(`^(?:${prefix})${rest.replaceAll(/\(\?![^)]*\)/g, '')}$`), { size: 'small' });
}

const scrub = (text: string): string => new Scrubber({ env: {}, cwd: '/w' }).text(text, 'x');
const frame = (value: unknown): string => new Scrubber({ env: {}, cwd: '/w' }).json(JSON.stringify(value), 'x');

const PLACES: readonly [name: string, put: (token: string) => string][] = [
  ['a sentence', (token) => scrub(`Use ${token} for it.`)],
  ['a variable', (token) => scrub(`EXPORTED=${token}`)],
  ['an address', (token) => scrub(`https://example.com/x?a=1&b=${token}&c=2`)],
  ['a field', (token) => frame({ note: token })],
  ['JSON in a text', (token) => frame({ text: JSON.stringify({ input: [`-x`, token] }) })],
  ['a line of a program', (token) => scrub(`\tconst x = '${token}';`)],
];

describe.each(FORMATS.map((format, index) => ({ index, kind: format[0], format })))('$kind ($index)', ({ format }) => {
  test.each(PLACES)('goes from %s', (_, put) => {
    fc.assert(
      fc.property(tokensOf(format), (token) => {
        expect(put(token)).not.toContain(token);
        expect(put(token)).toContain('[scrubbed:');
      }),
      { numRuns: 10 },
    );
  });

  test('goes from logs, whole, and has its kind', () => {
    fc.assert(
      fc.property(tokensOf(format), (token) => {
        expect(withoutKnownForms(`a ${token} b`)).toBe('a [redacted] b');
        expect(TOKEN_HINT.test(token)).toBe(true);
        expect([...`(${token})`.matchAll(TOKENS)].map(([found]) => tokenKind(found))).toEqual([tokenKind(token)]);
      }),
      { numRuns: 10 },
    );
  });
});

test.each([
  'The hvs. and SG. prefixes',
  'npm_config_cache npm_lifecycle_event npm_package_json',
  'sk_buff rk_live glpat- gho_ xoxb-',
  'github_pat_ is a prefix',
  'https://hooks.slack.com/services',
  'dapi dapi123 cio ciopfs-mount-point-of-some-length-here',
  'commit 0123456789abcdef0123456789abcdef01234567',
  'secret_name secret_santa_list_of_all_the_people_in_the_house',
  're_export re_captcha_enterprise_library_version',
  'fc-list fc-cache-fonts-of-the-whole-system-in-one-run',
  '550e8400-e29b-41d4-a716-446655440000',
])('what is no token stays: %s', (text) => {
  expect(scrub(text)).toBe(text);
  expect(withoutKnownForms(text)).toBe(text);
});
