import { chmodSync, chownSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { SessionFileError } from '../../src/errors.js';
import { renameSession } from '../../src/transcripts/change-session.js';
import { forkSession } from '../../src/transcripts/fork-session.js';
import { getSessionInfo, listSessions } from '../../src/transcripts/list-sessions.js';
import { getSessionMessages } from '../../src/transcripts/session-messages.js';
import { importSessionToStore } from '../../src/transcripts/store/import-session.js';
import { InMemorySessionStore } from '../../src/transcripts/store/in-memory-session-store.js';
import { SESSION, user, useSessionFolder, uuid } from './files/session-folder.js';

const NOBODY = 65_534;
const folder = useSessionFolder();
const hi = user(1, null, 'hi');

/** Runs as somebody whom the modes of files apply to; the user `root` may read everything. */
async function unprivileged(run: () => Promise<void>): Promise<void> {
  if (process.getuid?.() !== 0) return run();
  giveAway(folder.base);
  process.seteuid?.(NOBODY);
  try {
    await run();
  } finally {
    process.seteuid?.(0);
  }
}

function giveAway(path: string): void {
  chownSync(path, NOBODY, NOBODY);
  if (!statSync(path).isDirectory()) return;
  for (const name of readdirSync(path)) giveAway(join(path, name));
}

/** Gives the modes back, so that the folder can be removed. */
async function withMode(path: string, mode: number, run: () => Promise<void>): Promise<void> {
  const before = statSync(path).mode & 0o777;
  await unprivileged(async () => {
    chmodSync(path, mode);
    try {
      await run();
    } finally {
      chmodSync(path, before);
    }
  });
}

const listed = async (options = {}) => (await listSessions(options)).map(({ sessionId }) => sessionId);

describe.skipIf(process.platform === 'win32')('what must not be read (skipped on Windows)', () => {
  test.each([0o000, 0o400, 0o600])('a project folder of mode %o hides no other', async (mode) => {
    const closed = dirname(folder.put([hi], SESSION, '-a'));
    folder.put([hi], uuid(2), '-b');
    await withMode(closed, mode, async () => {
      expect(await listed()).toEqual([uuid(2)]);
      expect(await listed({ limit: 5 })).toEqual([uuid(2)]);
      expect(await getSessionInfo(uuid(2))).toMatchObject({ summary: 'hi' });
      expect(await getSessionMessages(SESSION)).toEqual([]);
      await renameSession(uuid(2), 'T');
      expect(await getSessionInfo(uuid(2))).toMatchObject({ summary: 'T' });
    });
  });

  test('the projects folder counts as empty', async () => {
    folder.put([hi]);
    await withMode(join(folder.config, 'projects'), 0o000, async () => {
      expect(await listed()).toEqual([]);
      expect(await listed({ dir: '/' })).toEqual([]);
      expect(await getSessionInfo(SESSION, { dir: '/' })).toBeUndefined();
    });
  });

  test('a directory below a folder that must not be searched has no sessions', async () => {
    const dir = join(folder.base, 'closed', 'work');
    mkdirSync(dir, { recursive: true });
    await withMode(dirname(dir), 0o000, async () => {
      expect(await listed({ dir })).toEqual([]);
      expect(await getSessionInfo(SESSION, { dir })).toBeUndefined();
    });
  });

  test('the transcript that was asked for is a typed error', async () => {
    const path = folder.put([hi]);
    await withMode(path, 0o000, async () => {
      expect(await listed()).toEqual([]);
      for (const call of [
        () => getSessionMessages(SESSION),
        () => renameSession(SESSION, 'T'),
        () => forkSession(SESSION),
        () => importSessionToStore(SESSION, new InMemorySessionStore()),
      ]) {
        const error = await call().catch((reason: unknown) => reason);
        expect(error).toBeInstanceOf(SessionFileError);
        expect(error).toMatchObject({ sessionId: SESSION, path, code: 'EACCES' });
      }
    });
  });

  test('a folder of subagents that an import cannot read is a typed error', async () => {
    const subagents = join(dirname(folder.put([hi])), SESSION, 'subagents');
    mkdirSync(subagents, { recursive: true });
    await withMode(subagents, 0o000, async () => {
      const importing = importSessionToStore(SESSION, new InMemorySessionStore());
      const error = await importing.catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(SessionFileError);
      expect(error).toMatchObject({ path: subagents, code: 'EACCES' });
    });
  });

  test('a transcript that may be read and not written is a typed error for a change', async () => {
    const path = folder.put([hi]);
    await withMode(path, 0o400, async () => {
      const error = await renameSession(SESSION, 'T').catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(SessionFileError);
      expect(error).toMatchObject({ errorClass: 'session_file_failed', code: 'EACCES' });
    });
  });
});

describe('a directory that leads nowhere has no sessions', () => {
  test.skipIf(process.platform === 'win32')('with a `.git` that is a link to itself (skipped on Windows)', async () => {
    const dir = join(folder.base, 'work');
    mkdirSync(dir);
    symlinkSync('.git', join(dir, '.git'));
    expect(await listed({ dir })).toEqual([]);
    expect(await getSessionInfo(SESSION, { dir })).toBeUndefined();
  });

  test.each(['a'.repeat(5000), 'a/'.repeat(5000)])('with a path that is too long', async (name) => {
    const dir = join(folder.base, name);
    expect(await listed({ dir })).toEqual([]);
    expect(await getSessionInfo(SESSION, { dir })).toBeUndefined();
  });
});
