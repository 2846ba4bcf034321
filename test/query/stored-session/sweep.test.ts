import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { query } from '../../../src/index.js';
import { ownDirectoryPrefix } from '../../../src/util/stale-directories.js';
import { setResumeStage } from './stage.js';

test('the folder of a killed host goes with the next run, also one that needs no folder itself', async () => {
  const stage = setResumeStage();
  const dead = execFileSync(process.execPath, ['-p', 'process.pid'], { encoding: 'utf8' });
  const [, , ...rest] = ownDirectoryPrefix().split('-');
  mkdirSync(join(tmpdir(), `claudewire-${Number(dead).toString(36)}-${rest.join('-')}aB3xYz`));
  expect(stage.left()).toHaveLength(1);
  for await (const _ of query({ prompt: 'Go.', options: stage.options({}) }));
  await expect.poll(() => stage.left()).toEqual([]);
});
