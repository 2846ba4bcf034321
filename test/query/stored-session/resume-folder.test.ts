import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ResumeFolder } from '../../../src/query/stored-session/resume-folder.js';
import { entry, ID, setResumeStage } from './stage.js';

test('an abort ends the writing of a long transcript at the next piece', async () => {
  const stage = setResumeStage();
  const folder = new ResumeFolder();
  const controller = new AbortController();
  const reason = new Error('enough');
  let read = 0;
  // One MiB each; the third one is the last that anybody wanted.
  const entries = Array.from({ length: 20 }, (_, n) => ({
    type: 'user',
    toJSON: () => {
      read += 1;
      if (n === 2) controller.abort(reason);
      return entry(n, { text: 'x'.repeat(1024 * 1024) });
    },
  }));
  const key = { projectKey: 'p', sessionId: ID };
  await expect(folder.writeTranscript(key, entries, controller.signal)).rejects.toBe(reason);
  expect(read).toBe(3);
  expect(statSync(join(folder.path, 'projects', 'p', `${ID}.jsonl`)).size).toBeGreaterThan(0);
  folder.remove(() => {});
  expect(stage.left()).toEqual([]);
});
