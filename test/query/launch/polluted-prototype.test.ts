import { afterEach, expect, test } from 'vitest';
import { plan } from './launch-case.js';

const before = plan({ model: 'a' });

afterEach(() => {
  Reflect.deleteProperty(Object.prototype, 'foo');
  Reflect.deleteProperty(Object.prototype, 'other');
});

test('a property that another library put on all objects is no option and goes into no request', () => {
  Object.assign(Object.prototype, { foo: 'text', other: () => 'problem' });
  const after = plan({ model: 'a' });
  expect(Object.keys(after.initialize)).toEqual(Object.keys(before.initialize));
  expect(after.args).toEqual(before.args);
});
