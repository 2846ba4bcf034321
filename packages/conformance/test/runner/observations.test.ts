import { Variables } from 'claudewire/testing';
import { expect, test } from 'vitest';
import { Observations } from '../../src/runner/observations.js';

test.each([
  ['end', {}],
  ['error', { error: { kind: 'closed' } }],
])('a run that ended with "%s" is over, and that is no second end or error', (what, fields) => {
  const observations = new Observations();
  const variables = new Variables();
  const count = (kind: 'over' | 'end' | 'error') => observations.count({ what: kind }, 'main', variables);
  observations.add({ event: 'observed', run: 'main', what: 'message', message: {} });
  expect(count('over')).toBe(0);
  observations.add({ event: 'observed', run: 'main', what, ...fields });
  expect(count('over')).toBe(1);
  expect(count('end') + count('error')).toBe(1);
  expect(observations.search({ what: 'over', ...fields }, 'main', variables)()).toBe(true);
  expect(observations.search({ what: 'over' }, 'other', variables)()).toBe(false);
});
