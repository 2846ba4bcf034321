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
