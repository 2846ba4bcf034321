import { describe, expect, test } from 'vitest';
import { applyMutant, sourceIndex } from './apply.mjs';
import { mutants, rowMutants } from './index.mjs';

const LEVELS = ['L0', 'L1', 'L2', 'L3', 'L4', 'L5', 'L6', 'L7', 'L8'];

describe('mutants', () => {
  test('have names of their own and say what they break', () => {
    const all = [...mutants, ...rowMutants];
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
    for (const { name, breaks } of all) {
      expect(name).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
      expect(breaks).toMatch(/\.$/);
    }
  });

  test.each(LEVELS)('%s has at least five', (level) => {
    expect(mutants.filter((mutant) => mutant.level === level).length).toBeGreaterThanOrEqual(5);
  });

  const index = sourceIndex();

  test.each([...mutants, ...rowMutants])('$name fits the source', (mutant) => {
    const { file, text } = applyMutant(mutant, index);
    expect(file).toMatch(/\.ts$/);
    expect(text).not.toBe('');
  });
});
