import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { findData } from '../../src/data/find-data.js';
import { loadData } from '../../src/data/load-data.js';
import { DriverFault, type DriverHello } from '../../src/driver/driver-protocol.js';
import { checkFeatures, isChoice } from '../../src/driver/known-features.js';

const hello = (...features: readonly string[]): DriverHello => ({
  ...{ event: 'hello', protocol: 1, driver: 'd', sdk: 's', version: '0', language: 'js' },
  features,
});
const check = (...features: readonly string[]) => checkFeatures(hello(...features), ['of-the-data']);

describe('features of a hello', () => {
  test.for<[about: string, features: readonly string[], said: string]>([
    ['a letter swapped', ['qeury'], 'a feature that the suite does not know: "qeury" (did you mean "query"?)'],
    ['another case', ['canUseTool'], '"canUseTool" (did you mean "can_use_tool"?)'],
    [
      'a method',
      ['call:setModle'],
      '"call:setModle", a method that no driver is asked for (did you mean "call:setModel"?)',
    ],
    ['one near to what the data names', ['of-the-date'], '"of-the-date" (did you mean "of-the-data"?)'],
    [
      'two, one like nothing',
      ['hook', 'xylophone'],
      'features that the suite does not know: "hook" (did you mean "hooks"?), "xylophone"',
    ],
    ['many', ['q1', 'q2', 'q3', 'q4', 'q5', 'q6', 'q7'], ', and 2 more'],
    ['a very long one', ['x'.repeat(10_000)], `"${'x'.repeat(60)}"`],
  ])('that are not known: %s', ([, features, said]) => {
    expect(() => check('query', ...features)).toThrow(DriverFault);
    expect(() => check('query', ...features)).toThrow(said);
  });

  test('those of the data, of the drivers here and of the reference are known', () => {
    check('query', 'of-the-data', 'call:setModel', 'option:deadlineMs', 'session_store:seed');
    const reference = readFileSync(new URL('../../DRIVERS.md', import.meta.url), 'utf8');
    const [, section = ''] = /^## Features\n([\s\S]*?)^Options with a feature/m.exec(reference) ?? [];
    const cells = [...section.matchAll(/^\| (`[^|]*) \|/gm)].map(([, cell = '']) => cell);
    const named = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name));
    const features = named.filter((name) => !/[A-Z]{4}/.test(name));
    expect(features).toContain('query');
    const scenarios = loadData(findData()).scenarios.flatMap((scenario) => scenario.features);
    expect(() => checkFeatures(hello(...new Set(features)), scenarios)).not.toThrow();
  });

  test('a choice is not something that an SDK must have', () => {
    const choices = ['prompt:text', 'option:deadlineMs', 'messages:frames', 'prompt:of-later-data'];
    expect(choices.map(isChoice)).toEqual([true, true, true, true]);
    expect(['query', 'hooks', 'session_store:seed', 'call:setModel'].some(isChoice)).toBe(false);
  });
});
