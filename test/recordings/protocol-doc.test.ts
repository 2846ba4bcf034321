import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { frameSchema } from '../helpers/frame-schema.js';
import { readManifest, recordingNames } from './load.js';

const page = (path: string): string => readFileSync(new URL(`../../docs/${path}`, import.meta.url), 'utf8');
const text = page('reference/protocol.md');

/** What a scenario wrote on purpose although no such thing exists, and what is no frame. */
const NOT_PROTOCOL = /^(raw|no type|no_such_type|control_request\/no_such_subtype)$/;

function namesOf(direction: 'in' | 'out'): string[] {
  const names = Object.values(readManifest()).flatMap((entry) => Object.keys(entry[direction]));
  return [...new Set(names)].filter((name) => !NOT_PROTOCOL.test(name)).sort();
}

/** In backticks: the whole name, or each of its two parts. */
function isNamed(name: string): boolean {
  return inBackticks(name) || name.split('/').every(inBackticks);
}

function inBackticks(word: string): boolean {
  return text.includes(`\`${word}\``);
}

describe.each(['out', 'in'] as const)('docs/reference/protocol.md names every recorded frame: %s', (dir) => {
  test.each(namesOf(dir))('%s', (name) => {
    expect(isNamed(name)).toBe(true);
  });
});

test('docs/reference/protocol.md names every control request that we can send', () => {
  const prefix = 'host.control_request.';
  const names = Object.keys(frameSchema().$defs).filter((name) => name.startsWith(prefix));
  expect(names.length).toBeGreaterThan(40);
  const missing = names.map((name) => name.slice(prefix.length)).filter((subtype) => !inBackticks(subtype));
  expect(missing, 'name them in docs/reference/protocol.md, "Control requests"').toEqual([]);
});

test('docs/reference/protocol.md does not list as never recorded what a fixture has', () => {
  const mirror = new URL('../fixtures/transcript-mirror.jsonl', import.meta.url);
  const types = new Set(
    readFileSync(mirror, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line): string => JSON.parse(line).type),
  );
  const [, neverRecorded = ''] = text.split('## Declared, never recorded');
  expect(types).toContain('transcript_mirror');
  expect([...types].filter((type) => !isNamed(type) || neverRecorded.includes(`\`${type}\``))).toEqual([]);
});

test.each([
  ['reference/protocol.md', 100],
  ['evidence/requirements.md', 200],
])('every recording that docs/%s cites exists', (path, atLeast) => {
  const cited = [...page(path).matchAll(/\[`([a-z0-9-]+)`\]/g)].map(([, name]) => name);
  expect(cited.length).toBeGreaterThan(atLeast);
  expect(cited.filter((name) => !recordingNames.includes(name!))).toEqual([]);
});
