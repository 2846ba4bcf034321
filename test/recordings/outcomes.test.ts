import { describe, expect, test } from 'vitest';
import { recordingNames } from './load.js';
import { observeOutcomes } from './observe-outcomes.js';
import { expectedOutcomes } from './outcomes.js';

test('every recording has its outcome decided, and no other has', () => {
  expect(Object.keys(expectedOutcomes).sort()).toEqual([...recordingNames].sort());
});

describe('the outcome of each process and each of its turns', () => {
  test.each(recordingNames)('%s', (name) => {
    expect(observeOutcomes(name)).toEqual(expectedOutcomes[name]);
  });
});
