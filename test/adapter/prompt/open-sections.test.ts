import { describe, expect, test } from 'vitest';
import { VisibilityExpansionRequired } from '../../../src/adapter/errors/prompt-errors.js';
import type { ToolContext, VisibilityOverrideMap } from '../../../src/adapter/prompt/prompt-types.js';
import { parseValue } from '../../../src/adapter/schema/parse-value.js';
import { thrownBy } from '../support/thrown-by.js';
import { promptOf, section } from './support.js';

const deep = section('deep', { template: 'Deep', summary: 'deep', visibility: 'summary' });
const prompt = promptOf(
  section('a', { template: 'A', summary: 'a', visibility: 'summary', children: [deep] }),
  section('b', { template: 'B', summary: 'b', visibility: 'summary' }),
  section('c', { template: 'C' }),
);

/** What the handler does with a call of the model. */
function call(args: object, visibilityOverrides: VisibilityOverrideMap = {}): unknown {
  const tool = prompt.render({ visibilityOverrides }).tools.at(-1);
  expect(tool?.name).toBe('open_sections');
  const params = parseValue(tool!.params!, args, { extra: 'forbid' });
  return tool!.handler!(params, { context: {} as ToolContext });
}

describe('open_sections', () => {
  test('what it asks for shows the section in full when it is given back (AD-124)', () => {
    const error = thrownBy(() => call({ sectionKeys: ['b'], reason: 'needed' }));
    expect(error).toBeInstanceOf(VisibilityExpansionRequired);
    const { requestedOverrides, reason, sectionKeys } = error as VisibilityExpansionRequired;
    expect({ requestedOverrides, reason, sectionKeys }).toEqual({
      requestedOverrides: { b: 'full' },
      reason: 'needed',
      sectionKeys: ['b'],
    });
    expect(prompt.render().text).not.toContain('B');
    expect(prompt.render({ visibilityOverrides: requestedOverrides }).text).toContain('## 2. b (b)\n\nB\n');
  });

  test('keeps open what was opened before', () => {
    const error = thrownBy(() => call({ sectionKeys: ['a.deep', 'a.deep'], reason: 'r' }, { a: 'full' }));
    expect(error).toMatchObject({ requestedOverrides: { a: 'full', 'a.deep': 'full' }, sectionKeys: ['a.deep'] });
  });

  test.each([
    ['an unknown key', ['nothing'], 'is not a section'],
    ['one that is open already', ['c'], 'open already'],
    ['one inside of a summarised section', ['a.deep'], 'not part of this prompt now'],
    ['a good one beside a bad one', ['b', 'x'], '"x"'],
  ])('answers %s with an error that names what can be opened', (_, sectionKeys, says) => {
    const result = call({ sectionKeys, reason: 'r' });
    expect(result).toMatchObject({ success: false });
    const { message } = result as { message: string };
    expect(message).toContain(says);
    expect(message).toContain('can be opened: a, b');
  });

  test.each([{ sectionKeys: [], reason: 'r' }, { sectionKeys: ['b'] }, { sectionKeys: 'b', reason: 'r' }])(
    'does not take %j',
    (args) => {
      expect(thrownBy(() => call(args))).toMatchObject({ name: 'ValidationError' });
    },
  );
});
