import { readdirSync, readFileSync } from 'node:fs';
import { cliSections, formatScenario, parseScenario } from 'claudewire/testing';
import { describe, expect, test } from 'vitest';
import { convertForSuite } from '../../src/conversion/suite-conversion.js';
import { readOne, recordedScenarios } from './recorded-scenarios.js';

const names = readdirSync(new URL('../../../../test/fixtures/recordings/', import.meta.url))
  .filter((name) => name.endsWith('.jsonl'))
  .map((name) => name.replace('.jsonl', ''));

describe('every recording', () => {
  const conversions = names.map((name) => ({ name, ...convertForSuite(readOne(name)) }));

  test('becomes a scenario that can be played, with a section for each process', () => {
    for (const { name, header, steps } of conversions) {
      const scenario = parseScenario(formatScenario({ header, steps }), `${name}.jsonl`);
      const processes = new Set(
        readOne(name)
          .lines.filter(({ dir }) => dir !== 'meta')
          .map(({ proc }) => proc),
      );
      expect(cliSections(scenario).length, name).toBe(Math.max(1, processes.size));
    }
  });

  test('what is left out is listed, and most leaves nothing out', () => {
    const full = conversions.filter(({ notConverted }) => notConverted.length === 0);
    const driven = conversions.filter(({ hasDriverLane }) => hasDriverLane);
    expect({ all: names.length, full: full.length, driven: driven.length }).toEqual({
      all: 271,
      full: 240,
      driven: 238,
    });
    for (const { header, notConverted } of conversions) {
      expect(header.notConverted ?? []).toEqual(notConverted);
    }
  });

  test('of an SDK gets no driver commands: the program that made it is the driver', () => {
    for (const { name, steps, hasDriverLane } of conversions) {
      if (!name.startsWith('official-sdk-')) continue;
      expect(hasDriverLane).toBe(false);
      expect(steps.some((step) => 'drive' in step)).toBe(false);
    }
  });
});

test('the scenarios of the data package are what the recordings give', () => {
  const folder = new URL('../../scenarios/', import.meta.url);
  const wanted = recordedScenarios();
  // After a change of the conversion: node packages/conformance/scripts/recorded-scenarios.mjs
  for (const { file, text } of wanted) {
    expect(readFileSync(new URL(file, folder), 'utf8') === text, file).toBe(true);
  }
  const there = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\/l\d-rec-/.test(file))
    .sort();
  expect(there).toEqual(wanted.map(({ file }) => file).sort());
});
