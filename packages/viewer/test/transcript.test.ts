import { expect, test } from 'vitest';
import { viewData } from '../src/index.js';

const queued = (fields: object) =>
  JSON.stringify({
    type: 'attachment',
    uuid: 'entry',
    timestamp: '2026-01-01T00:00:01.000Z',
    attachment: { type: 'queued_command', prompt: 'Steer me.', source_uuid: 'sent', ...fields },
  });

test('a prompt that was sent in mid-turn is shown as a message of the user', async () => {
  const prompt = { type: 'user', timestamp: '2026-01-01T00:00:00.000Z', message: { role: 'user', content: 'Start.' } };
  const text = [JSON.stringify(prompt), queued({}), queued({ isMeta: true }), queued({ prompt: 5 })].join('\n');
  const { source, frames } = await viewData({ text });
  expect(source.kind).toBe('transcript');
  expect(frames.map(({ dir, kind }) => `${dir} ${kind}`)).toEqual([
    'in user',
    'in user',
    'out user',
    'meta meta/attachment',
  ]);
  expect(JSON.stringify(frames[1])).toContain('Steer me.');
});
