import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { recordingNames } from '../../../test/recordings/load.js';
import { readRequirements } from './requirements.js';

const requirements = readRequirements();

test('docs/evidence/requirements.md shows the requirements as the data has them', () => {
  const script = fileURLToPath(new URL('../scripts/requirements-doc.mjs', import.meta.url));
  const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const page = readFileSync(new URL('../../../docs/evidence/requirements.md', import.meta.url), 'utf8');
  expect(requirements.filter(({ id }) => !page.includes(`| ${id} |`))).toEqual([]);
});

describe('the statements', () => {
  test('have ids of their level, each once, in order', () => {
    const ids = requirements.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)].sort());
    expect(requirements.filter(({ id, level }) => !id.startsWith(`${level}-`))).toEqual([]);
  });

  test('of the host say MUST, SHOULD or MAY; those of the CLI only say what it does', () => {
    const modal = /\b(MUST|SHOULD|MAY)\b/;
    const odd = requirements.filter(({ party, text }) => (party === 'host') !== modal.test(text));
    expect(odd.map(({ id }) => id)).toEqual([]);
  });

  test('cite recordings that exist, and the CLI ones at least one', () => {
    const cited = (source: readonly string[]): string[] =>
      source.flatMap((one) => (one.startsWith('recording:') ? [one.slice('recording:'.length)] : []));
    const missing = requirements.flatMap(({ id, source }) =>
      cited(source).flatMap((name) => (recordingNames.includes(name) ? [] : [`${id}: ${name}`])),
    );
    expect(missing).toEqual([]);
    const bare = requirements.filter(({ party, source }) => party === 'cli' && cited(source).length === 0);
    expect(bare.map(({ id }) => id)).toEqual([]);
  });
});

describe('the prose of the protocol', () => {
  const LINE = /^Requirements: /;
  /** Sections without requirements: the introduction, and what no recording has. */
  const WITHOUT_LINE = ['Protocol', 'Declared, never recorded'];
  const sections = sectionsOf(readFileSync(new URL('../../../docs/reference/protocol.md', import.meta.url), 'utf8'));
  const lines = sections.flatMap(({ paragraphs }) => paragraphs.filter((one) => LINE.test(one)));

  test('docs/reference/protocol.md names every requirement once, in the section that describes it (K-3)', () => {
    const named = lines.flatMap((line) => idsOf(line.replace(LINE, '')));
    const known = requirements.map(({ id }) => id);
    expect(known.length).toBeGreaterThan(300);
    expect(
      named.filter((id) => !known.includes(id)),
      'unknown',
    ).toEqual([]);
    expect(
      named.filter((id, index) => named.indexOf(id) !== index),
      'named twice',
    ).toEqual([]);
    expect(
      known.filter((id) => !named.includes(id)),
      'missing: describe them in a section, and name them in its last line',
    ).toEqual([]);
    const elsewhere = sections.flatMap(({ paragraphs }) => paragraphs.filter((one) => !LINE.test(one)));
    expect(elsewhere.filter((one) => /\bL\d-\d\d\b/.test(one))).toEqual([]);
  });

  test('docs/reference/protocol.md ends every section with its requirements, except two (K-3)', () => {
    const without = sections.filter(({ paragraphs }) => paragraphs.length > 0 && !LINE.test(paragraphs.at(-1)!));
    expect(without.map(({ heading }) => heading)).toEqual(WITHOUT_LINE);
    expect(lines).toHaveLength(sections.length - WITHOUT_LINE.length);
  });

  test.each([
    ['L0-01.', ['L0-01']],
    ['L0-09 to L0-11, L1-04.', ['L0-09', 'L0-10', 'L0-11', 'L1-04']],
  ])('has a list of ids: %s', (line, ids) => {
    expect(idsOf(line)).toEqual(ids);
  });

  test.each(['', 'L0-01', 'L0-1.', 'L0-01 L0-02.', 'L0-01 to L1-04.', 'L0-02 to L0-02.', 'L0-03 to L0-02.'])(
    'has no list of ids like "%s"',
    (line) => {
      expect(() => idsOf(line)).toThrow('Not a list of requirements');
    },
  );
});

interface Section {
  readonly heading: string;
  /** Each without its line breaks. */
  readonly paragraphs: readonly string[];
}

/** Split at every heading, the title of the page included. */
function sectionsOf(page: string): readonly Section[] {
  return page
    .split(/^#{1,3} /m)
    .slice(1)
    .map((section) => {
      const [heading = '', ...rest] = section.split('\n');
      const paragraphs = rest.join('\n').split(/\n{2,}/);
      return { heading, paragraphs: paragraphs.map((one) => one.trim().replaceAll('\n', ' ')).filter(Boolean) };
    });
}

/** The ids of a list such as `L0-01 to L0-05, L1-49.`, each range written out. */
function idsOf(list: string): readonly string[] {
  if (!list.endsWith('.')) throw new Error(`Not a list of requirements: ${list}`);
  return list
    .slice(0, -1)
    .split(', ')
    .flatMap((one) => {
      const [, level, from, toLevel = level, to = from] = /^(L\d)-(\d\d)(?: to (L\d)-(\d\d))?$/.exec(one) ?? [];
      const isRange = one.includes(' to ');
      if (from === undefined || level !== toLevel || (isRange && Number(to) <= Number(from))) {
        throw new Error(`Not a list of requirements: ${list}`);
      }
      const count = Number(to) - Number(from) + 1;
      return Array.from({ length: count }, (_, index) => `${level}-${String(Number(from) + index).padStart(2, '0')}`);
    });
}
