import { expect, test } from 'vitest';
import { Scrubber } from '../../../../src/testing/recorder/scrub/scrubber.js';
import { describeScrubbed, ScrubbedList } from '../../src/record/scrubbed-list.js';

test('the list says kind, count and place, and never the value', () => {
  const counts = new ScrubbedList();
  const scrub = new Scrubber({ env: {}, cwd: '/nowhere', texts: [] }, (kind, where) => counts.add(kind, where));
  scrub.json('{"type":"user","text":"sk-ant-api03-AbC and sk-ant-api03-AbC"}', 'in user');
  const list = describeScrubbed(counts.items);
  expect(list).toMatch(/anthropic-key +2 {2}in in user/);
  expect(list).not.toContain('AbC');
});
