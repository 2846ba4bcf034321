import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { forkSession } from '../../../src/transcripts/fork-session.js';
import { SESSION, user, useSessionFolder, uuid } from './session-folder.js';

const folder = useSessionFolder();

test('a fork removes what a killed fork left more than a day ago, and nothing else', async () => {
  const project = dirname(folder.put([user(1, null, 'hi')]));
  const old = Date.now() / 1000 - 25 * 60 * 60;
  const names = [`.${uuid(1)}.new`, `.${uuid(2)}.new`, '.notes.new', `${uuid(4)}.new`];
  for (const name of names) {
    writeFileSync(join(project, name), 'x');
    if (name !== names[1]) utimesSync(join(project, name), old, old);
  }
  const directory = join(project, `.${uuid(5)}.new`);
  mkdirSync(directory);
  utimesSync(directory, old, old);
  const { sessionId } = await forkSession(SESSION);
  expect(readdirSync(project).sort()).toEqual(
    [...names.slice(1), `.${uuid(5)}.new`, `${SESSION}.jsonl`, `${sessionId}.jsonl`].sort(),
  );
});
