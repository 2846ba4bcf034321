import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { SessionNotFoundError } from '../../src/errors.js';
import { deleteSession, renameSession } from '../../src/transcripts/change-session.js';
import { getSessionInfo, listSessions } from '../../src/transcripts/list-sessions.js';
import { getSessionMessages, getSubagentMessages, listSubagents } from '../../src/transcripts/session-messages.js';
import { importSessionToStore } from '../../src/transcripts/store/import-session.js';
import type { SessionStore } from '../../src/transcripts/store/session-store.js';
import { SESSION, user, useSessionFolder, uuid } from './files/session-folder.js';

const folder = useSessionFolder();
const hi = user(1, null, 'hi');

describe.skipIf(process.platform === 'win32')('a link in the place of a transcript (skipped on Windows)', () => {
  function link(target: string, id = SESSION, project = '-w'): string {
    const place = folder.path(id, project);
    mkdirSync(dirname(place), { recursive: true });
    symlinkSync(target, place);
    return place;
  }

  test('to the same session in another folder is that session, in listings too', async () => {
    const target = folder.put([hi], SESSION, '-other');
    link(target, SESSION, '-linked');
    const dir = join(folder.base, 'none');
    const row = await getSessionInfo(SESSION);
    expect(row).toMatchObject({ sessionId: SESSION, summary: 'hi' });
    for (const limit of [undefined, 5]) {
      const page = limit === undefined ? {} : { limit };
      expect(await listSessions(page)).toEqual([row]);
      expect(await listSessions({ ...page, dir })).toEqual([]);
    }
    expect(await getSessionMessages(SESSION)).toHaveLength(1);
    await renameSession(SESSION, 'T');
    expect(folder.lines(target).at(-1)).toMatchObject({ customTitle: 'T' });
  });

  test.each([undefined, 5])('is listed for its own directory (limit %j)', async (limit) => {
    const dir = join(folder.base, 'work');
    link(folder.put([hi], SESSION, '-other'), SESSION, dir.replace(/[^a-zA-Z0-9]/g, '-'));
    const rows = await listSessions(limit === undefined ? { dir } : { dir, limit });
    expect(rows).toEqual([await getSessionInfo(SESSION, { dir })]);
    expect(rows).toHaveLength(1);
  });

  test('deleting it leaves what it leads to', async () => {
    const target = folder.put([hi], SESSION, '-b');
    const place = link(target, SESSION, '-a');
    const dir = join(folder.base, 'a');
    renameSync(dirname(place), join(folder.config, 'projects', dir.replace(/[^a-zA-Z0-9]/g, '-')));
    await deleteSession(SESSION, { dir });
    expect(await getSessionInfo(SESSION, { dir })).toBeUndefined();
    expect(folder.lines(target)).toEqual([hi]);
  });

  test.each([
    ['another session', `${uuid(2)}.jsonl`],
    ['a note', 'MEMORY.md'],
  ])('to %s is no session', async (_, name) => {
    const target = join(dirname(folder.put([hi], uuid(2))), name);
    if (!existsSync(target)) writeFileSync(target, 'notes\n');
    const before = readFileSync(target, 'utf8');
    const place = link(target);
    expect(await getSessionInfo(SESSION)).toBeUndefined();
    expect((await listSessions()).map(({ sessionId }) => sessionId)).toEqual([uuid(2)]);
    expect(await getSessionMessages(SESSION)).toEqual([]);
    for (const change of [renameSession(SESSION, 'T'), deleteSession(SESSION)]) {
      await expect(change).rejects.toThrow(SessionNotFoundError);
    }
    expect(readFileSync(target, 'utf8')).toBe(before);
    expect(lstatSync(place).isSymbolicLink()).toBe(true);
  });

  test.each([{}, { limit: 5 }])('to itself hides no other session (%j)', async (options) => {
    folder.put([hi], uuid(2));
    link(`${SESSION}.jsonl`);
    expect((await listSessions(options)).map(({ sessionId }) => sessionId)).toEqual([uuid(2)]);
    expect(await getSessionInfo(SESSION)).toBeUndefined();
  });
});

describe.skipIf(process.platform === 'win32')('a link in the place of a session’s folder (skipped on Windows)', () => {
  let appended: string[] = [];
  let store: SessionStore;
  let outside = '';
  beforeEach(() => {
    appended = [];
    store = {
      load: async () => null,
      append: async ({ subpath }) => {
        appended.push(subpath ?? 'main');
      },
    };
    outside = join(folder.base, 'outside');
    mkdirSync(join(outside, 'subagents'), { recursive: true });
    writeFileSync(join(outside, 'subagents', 'agent-x.jsonl'), `${JSON.stringify(hi)}\n`);
    const at = new Date().toISOString();
    writeFileSync(join(outside, 'archived.json'), JSON.stringify({ archived: true, at }));
    folder.put([hi]);
  });
  const own = () => join(dirname(folder.path()), SESSION);

  test('is not followed', async () => {
    symlinkSync(outside, own());
    expect(await listSubagents(SESSION)).toEqual([]);
    expect(await getSubagentMessages(SESSION, 'x')).toEqual([]);
    expect((await getSessionInfo(SESSION))?.archived).toBeUndefined();
    expect((await listSessions())[0]?.archived).toBeUndefined();
    await importSessionToStore(SESSION, store);
    expect(appended).toEqual(['main']);
  });

  test('nor one in the place of its subagents', async () => {
    mkdirSync(own());
    symlinkSync(join(outside, 'subagents'), join(own(), 'subagents'));
    expect(await listSubagents(SESSION)).toEqual([]);
    await importSessionToStore(SESSION, store);
    expect(appended).toEqual(['main']);
  });

  test('nor one that takes a file’s place during an import', async () => {
    const subagents = join(own(), 'subagents');
    mkdirSync(subagents, { recursive: true });
    const secret = join(outside, 'subagents', 'agent-x.jsonl');
    const line = readFileSync(secret);
    for (const name of ['agent-a', 'agent-b']) writeFileSync(join(subagents, `${name}.jsonl`), line);
    const swapping: SessionStore = {
      ...store,
      append: async ({ subpath }) => {
        appended.push(subpath ?? 'main');
        if (subpath !== 'subagents/agent-a') return;
        renameSync(join(subagents, 'agent-b.jsonl'), join(folder.base, 'moved'));
        symlinkSync(secret, join(subagents, 'agent-b.jsonl'));
      },
    };
    await importSessionToStore(SESSION, swapping);
    expect(appended).toEqual(['main', 'subagents/agent-a']);
    expect(readdirSync(subagents)).toHaveLength(2);
  });
});
