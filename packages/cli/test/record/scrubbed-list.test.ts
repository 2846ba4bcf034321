import { expect, test } from 'vitest';
import { Scrubber } from '../../../../src/testing/recorder/scrub/scrubber.js';
import { describeScrubbed } from '../../src/record/scrubbed-list.js';

test('the list says kind, count and place, and never the value', () => {
  const scrub = new Scrubber({ env: {}, cwd: '/nowhere', texts: [] });
  scrub.value({ type: 'user', text: 'sk-ant-api03-AbC and sk-ant-api03-AbC' }, 'in user');
  const list = describeScrubbed(scrub.items);
  expect(list).toMatch(/anthropic-key +2 {2}in in user/);
  expect(list).not.toContain('AbC');
});
