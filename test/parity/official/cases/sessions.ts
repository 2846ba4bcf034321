import { existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type * as Ours from '../../../../src/index.js';
import type { JsonObject } from '../../../../src/util/json.js';
import { alsoSeen } from '../harness/also-seen.js';
import type { ParityRow } from '../harness/parity-case.js';
import { exported } from '../harness/subject.js';
import { failureText, noCli } from './support.js';

const FIRST = '11111111-2222-4333-8444-555555555555';
const SECOND = '66666666-7777-4888-9999-aaaaaaaaaaaa';
const NOBODY = '00000000-0000-4000-8000-000000000000';
const TIME = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;

/** A folder to work in, and the transcripts that the CLI keeps for it. */
interface Project {
  readonly dir: string;
  readonly transcripts: string;
  write(id: string, entries: readonly JsonObject[], atSeconds: number): void;
  /** Lines of a transcript as they are, but for times. */
  read(id: string): readonly unknown[];
}

function project(name: string): Project {
  const dir = join(process.cwd(), name);
  const transcripts = join(process.cwd(), '.claude', 'projects', dir.replaceAll(/[^a-zA-Z0-9]/g, '-'));
  for (const folder of [dir, transcripts]) mkdirSync(folder, { recursive: true });
  onTestFinished(() => {
    for (const folder of [dir, transcripts]) rmSync(folder, { recursive: true, force: true });
  });
  const file = (id: string): string => join(transcripts, `${id}.jsonl`);
  return {
    dir,
    transcripts,
    write: (id, entries, atSeconds) => {
      writeFileSync(file(id), entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
      utimesSync(file(id), atSeconds, atSeconds);
    },
    read: (id) =>
      readFileSync(file(id), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line.replaceAll(TIME, '<time>')) as unknown),
  };
}

function user(uuid: string, parent: string | null, content: unknown, over: JsonObject = {}): JsonObject {
  return entryOf('user', uuid, parent, { role: 'user', content }, over);
}

function assistant(uuid: string, parent: string, text: string, over: JsonObject = {}): JsonObject {
  const message = { id: `msg_${uuid}`, role: 'assistant', content: [{ type: 'text', text }] };
  return entryOf('assistant', uuid, parent, message, over);
}

function entryOf(type: string, uuid: string, parent: string | null, message: unknown, over: JsonObject): JsonObject {
  return {
    parentUuid: parent,
    isSidechain: false,
    type,
    uuid: idOf(uuid),
    ...(parent === null ? {} : { parentUuid: idOf(parent) }),
    sessionId: FIRST,
    timestamp: '2026-01-02T03:04:05.000Z',
    cwd: '/somewhere',
    gitBranch: 'main',
    version: '2.1.330',
    message,
    ...over,
  };
}

/** A uuid for a short name. */
function idOf(name: string): string {
  return `aaaaaaaa-0000-4000-8000-${name.padStart(12, '0')}`;
}

/** Two turns, an abandoned branch, a meta entry, a side chain, and lines that are no entries. */
const talk: readonly JsonObject[] = [
  user('1', null, 'Hello there'),
  assistant('2', '1', 'Hi.'),
  user('3', '2', 'abandoned'),
  user('4', '2', [{ type: 'text', text: 'And then?' }]),
  user('5', '4', 'meta', { isMeta: true }),
  assistant('6', '4', 'Nothing.'),
  user('7', '6', 'aside', { isSidechain: true }),
  { type: 'summary', summary: 'A talk', leafUuid: idOf('6') },
  { type: 'tag', tag: 'first', sessionId: FIRST },
];

const api = <K extends keyof typeof Ours>(name: K): (typeof Ours)[K] => exported(name);

export const sessionRows: readonly ParityRow[] = [
  {
    ids: ['TS-182'],
    name: 'listSessions, getSessionInfo and getSessionMessages read transcripts',
    ...noCli,
    program: async (stage) => {
      const { dir, transcripts, write } = project('reads');
      write(FIRST, talk, 1_700_000_000);
      write(SECOND, [user('1', null, 'Second', { sessionId: SECOND, entrypoint: 'sdk-ts' })], 1_700_000_100);
      writeFileSync(join(transcripts, 'not-a-session.jsonl'), '{}\n');
      const all = await api('listSessions')({ dir });
      stage.note(all);
      stage.note((await api('listSessions')({ dir, limit: 1 })).map(({ sessionId }) => sessionId));
      stage.note((await api('listSessions')({ dir, offset: 1 })).map(({ sessionId }) => sessionId));
      stage.note((await api('listSessions')({ dir, includeProgrammatic: false })).length);
      stage.note(await api('listSessions')({ dir: join(dir, 'missing') }));
      stage.note(await api('getSessionInfo')(FIRST, { dir }));
      stage.note([await api('getSessionInfo')(NOBODY, { dir }), await api('getSessionInfo')('../x', { dir })]);
      stage.note(await api('getSessionMessages')(FIRST, { dir }));
      stage.note((await api('getSessionMessages')(FIRST, { dir, limit: 1, offset: 1 })).length);
      stage.note([await api('getSessionMessages')(NOBODY, { dir }), await api('listSubagents')('../../x', { dir })]);
      const notes = stage.notes.splice(0);
      alsoSeen('notes', notes);
      return notes.slice(1, 5);
    },
    expect: { ...noCli.expect, value: [[SECOND], [FIRST], 1, []] },
  },
  {
    ids: ['TS-182'],
    name: 'rows and chains are the same on both sides, field for field',
    ...noCli,
    program: async () => {
      const { dir, transcripts, write } = project('rows');
      write(FIRST, talk, 1_700_000_000);
      write(SECOND, [user('1', null, 'Second', { sessionId: SECOND })], 1_700_000_100);
      mkdirSync(join(transcripts, FIRST, 'subagents'), { recursive: true });
      const side = [
        user('s1', null, 'Look', { isSidechain: true, agentId: 'x' }),
        assistant('s2', 's1', 'Done', { isSidechain: true, agentId: 'x' }),
      ];
      writeFileSync(
        join(transcripts, FIRST, 'subagents', 'agent-x.jsonl'),
        side.map((entry) => `${JSON.stringify(entry)}\n`).join(''),
      );
      const parts = {
        rows: await api('listSessions')({ dir }),
        info: await api('getSessionInfo')(FIRST, { dir }),
        messages: await api('getSessionMessages')(FIRST, { dir }),
        withSystem: (await api('getSessionMessages')(FIRST, { dir, includeSystemMessages: true })).length,
        subagents: await api('listSubagents')(FIRST, { dir }),
        ofSubagent: await api('getSubagentMessages')(FIRST, 'x', { dir }),
      };
      alsoSeen('rows', parts);
      return [parts.rows.length, parts.messages.map(({ uuid }) => uuid.slice(-1)), parts.subagents];
    },
    expect: { ...noCli.expect, value: [2, ['1', '2', '4', '6'], ['x']] },
  },
  {
    ids: ['TS-183'],
    name: 'sessions are renamed, tagged, archived, forked and deleted in their files',
    ...noCli,
    program: async (stage) => {
      const { dir, transcripts, write, read } = project('changes');
      write(FIRST, talk, 1_700_000_000);
      const before = talk.length;
      await api('renameSession')(FIRST, '  A new name ', { dir });
      await api('tagSession')(FIRST, ' work\u200b ', { dir });
      await api('tagSession')(FIRST, null, { dir });
      stage.note(read(FIRST).slice(before));
      stage.note((await api('getSessionInfo')(FIRST, { dir }))?.customTitle);
      await api('archiveSession')(FIRST, { dir });
      await api('archiveSession')(FIRST, { dir });
      const archived = JSON.parse(readFileSync(join(transcripts, FIRST, 'archived.json'), 'utf8')) as JsonObject;
      stage.note([Object.keys(archived), archived.archived, archived.by]);
      await api('unarchiveSession')(FIRST, { dir });
      stage.note((await api('getSessionInfo')(FIRST, { dir }))?.archived ?? false);
      const fork = await api('forkSession')(FIRST, { dir, upToMessageId: idOf('2'), title: 'Fork' });
      const forked = read(fork.sessionId) as JsonObject[];
      alsoSeen(
        'fork',
        forked.map((entry) => [entry.type, Object.keys(entry)]),
      );
      const sources = forked.map(({ forkedFrom }) => (forkedFrom as JsonObject | undefined)?.messageUuid);
      stage.note(sources.filter((source) => source !== undefined));
      for (const attempt of [
        () => api('renameSession')(FIRST, '  ', { dir }),
        () => api('renameSession')(NOBODY, 'x', { dir }),
        () => api('renameSession')('no uuid', 'x', { dir }),
        () => api('tagSession')(FIRST, '', { dir }),
        () => api('forkSession')(FIRST, { dir, upToMessageId: NOBODY }),
        () => api('archiveSession')(NOBODY, { dir }),
        () => api('deleteSession')(NOBODY, { dir }),
      ]) {
        stage.note((await failureText(attempt)) !== 'nothing');
      }
      await api('deleteSession')(FIRST, { dir });
      stage.note([existsSync(join(transcripts, `${FIRST}.jsonl`)), existsSync(join(transcripts, FIRST))]);
    },
    expect: {
      ...noCli.expect,
      notes: [
        [
          { type: 'custom-title', customTitle: 'A new name', sessionId: FIRST },
          { type: 'tag', tag: 'work', sessionId: FIRST },
          { type: 'tag', tag: '', sessionId: FIRST },
        ],
        'A new name',
        [['archived', 'at', 'by'], true, 'sdk'],
        false,
        [idOf('1'), idOf('2')],
        ...Array.from({ length: 7 }, () => true),
        [false, false],
      ],
    },
  },
  {
    ids: ['TS-184'],
    name: 'InMemorySessionStore keeps what it is told, and foldSessionSummary sums it up',
    ...noCli,
    program: async (stage) => {
      const store = new (api('InMemorySessionStore'))();
      const key = { projectKey: 'p', sessionId: FIRST };
      stage.note(await store.load(key));
      await store.append(key, talk.slice(0, 2) as never);
      await store.append(key, talk.slice(0, 1) as never);
      await store.append({ ...key, subpath: 'subagents/agent-x' }, talk.slice(0, 1) as never);
      stage.note((await store.load(key))?.length);
      stage.note((await store.listSessions('p')).map(({ sessionId }) => sessionId));
      stage.note(await store.listSubkeys(key));
      stage.note([store.size, store.getEntries(key).length]);
      await store.delete(key);
      stage.note([await store.load(key), await store.listSubkeys(key), store.size]);
      const fold = api('foldSessionSummary');
      const first = fold(undefined, key, talk.slice(0, 2) as never, { mtime: 5 });
      const second = fold(first, key, talk.slice(7) as never, { mtime: 6 });
      alsoSeen('folded', [first, second]);
      stage.note([first.sessionId, first.mtime, second.mtime]);
    },
    expect: { ...noCli.expect, notes: [null, 3, [FIRST], ['subagents/agent-x'], [1, 3], [null, [], 0], [FIRST, 5, 6]] },
  },
  {
    ids: ['TS-184'],
    name: 'a list that the store gave is the caller’s own',
    differs: 'D-28',
    ...noCli,
    program: async () => {
      const store = new (api('InMemorySessionStore'))();
      const key = { projectKey: 'p', sessionId: FIRST };
      await store.append(key, talk.slice(0, 2) as never);
      (await store.load(key))?.splice(0);
      return (await store.load(key))?.length;
    },
    expect: { ...noCli.expect, value: 2 },
  },
  {
    ids: ['TS-185'],
    name: 'settings of a project are resolved with their sources',
    ...noCli,
    program: async () => {
      const { dir } = project('settings');
      mkdirSync(join(dir, '.claude'), { recursive: true });
      const write = (name: string, value: unknown): void =>
        writeFileSync(join(dir, '.claude', name), JSON.stringify(value));
      write('settings.json', { model: 'm', permissions: { allow: ['A'], defaultMode: 'bypassPermissions' } });
      write('settings.local.json', { permissions: { allow: ['B'] }, env: { K: 'v' } });
      const resolved = await api('resolveSettings')({ cwd: dir, settingSources: ['project', 'local'] });
      alsoSeen('resolved', resolved);
      return [
        Object.keys(resolved).sort(),
        resolved.effective,
        api('filterEscalatingDefaultMode')(resolved).permissions,
        (await api('matchDeniedModels')(['a', 'b'], ['b'])).denied,
        await api('matchDeniedModels')(['a'], undefined),
      ];
    },
    expect: {
      ...noCli.expect,
      value: [
        ['effective', 'machinePolicy', 'provenance', 'sources'],
        { model: 'm', permissions: { allow: ['A', 'B'], defaultMode: 'bypassPermissions' }, env: { K: 'v' } },
        { allow: ['A', 'B'] },
        [false, true],
        { denied: [false], warnings: [] },
      ],
    },
  },
];
