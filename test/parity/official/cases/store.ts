import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '../../../../src/util/json.js';
import { type Stage, until } from '../../../helpers/session-case/session-stage.js';
import { EOF, probe, RESULT, USER } from '../../../helpers/session-case/steps.js';
import type { ParityRow } from '../harness/parity-case.js';

/** What the rows need of a store; each side has its own type of it. */
interface Store {
  readonly append: (key: Key, entries: readonly JsonObject[]) => Promise<void>;
  readonly load: (key: Key) => Promise<readonly JsonObject[] | null>;
  readonly [method: string]: unknown;
}
interface Key {
  readonly projectKey: string;
  readonly sessionId: string;
  readonly subpath?: string;
}

const SESSION = '11111111-2222-4333-8444-555555555555';
const OTHER = '66666666-7777-4888-9999-aaaaaaaaaaaa';
const PROJECTS = `${process.cwd()}/.claude/projects`;
/** The program has seen the marker. */
const GO_ON = { in: { type: 'control_request', request: { subtype: 'interrupt' } }, answer: {} };
const MARKER = { out: { type: 'system', subtype: 'marker' } };

function entry(text: string, over: JsonObject = {}): JsonObject {
  return { type: 'user', uuid: `uuid-${text}`, message: { role: 'user', content: text }, ...over };
}

function mirror(path: string, ...entries: readonly JsonObject[]) {
  return { out: { type: 'transcript_mirror', filePath: path, entries } };
}

/** A store that notes what it is told. */
function noting(stage: Stage, over: Partial<Store> = {}): Store {
  return {
    append: async (key, entries) => {
      stage.note(['append', key.sessionId, key.subpath, entries.map(({ uuid }) => uuid)]);
    },
    load: async () => null,
    ...over,
  };
}

/** Reads the loop and notes the names of its messages between what the store noted. */
async function drainNoting(stage: Stage): Promise<void> {
  for await (const message of stage.query) {
    const { type, subtype } = message as unknown as JsonObject;
    stage.messages.push(message);
    stage.note(subtype === undefined ? type : `${type}/${subtype}`);
    if (subtype === 'marker') await stage.query.interrupt();
  }
}

const written = [
  mirror(`${PROJECTS}/-work/${SESSION}.jsonl`, entry('a'), entry('b')),
  mirror(`${PROJECTS}/-work/${SESSION}.jsonl`, entry('c')),
  mirror(`${PROJECTS}/-work/${SESSION}/subagents/agent-x.jsonl`, entry('d')),
  mirror('/elsewhere/x.jsonl', entry('e')),
];

/** What the CLI of a resumed session found in its configuration folder. */
function folderOf(stage: Stage): unknown {
  const { env, argv } = stage.cli.log();
  const folder = env.CLAUDE_CONFIG_DIR ?? '';
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.jsonl'));
  return {
    mode: (statSync(folder).mode & 0o777).toString(8),
    transcripts: files.sort().map((file) => [
      file.split('/').slice(2).join('/'),
      readFileSync(join(folder, file), 'utf8')
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as JsonObject).uuid),
    ]),
    resume: argv.filter((token) => /^--(?:resume|continue|session-mirror)/.test(token)),
  };
}

async function lookAndLeave(stage: Stage): Promise<unknown> {
  await stage.drain('system/marker');
  const folder = stage.cli.log().env.CLAUDE_CONFIG_DIR ?? '';
  const seen = folderOf(stage);
  await stage.drain();
  await stage.query.return();
  await until(() => !existsSync(folder), 'the folder is gone');
  return seen;
}

const resumed: readonly JsonObject[] = [entry('a', { sessionId: SESSION }), entry('b', { sessionId: SESSION })];

export const storeRows: readonly ParityRow[] = [
  {
    ids: ['TS-178', 'TS-067'],
    name: 'mirrored entries are appended in batches before the result, by the key in the path, and are no messages',
    options: (stage) => ({ sessionStore: noting(stage) as never }),
    cli: [USER, ...written, ...probe(), MARKER, GO_ON, RESULT, EOF],
    program: drainNoting,
    expect: {
      notes: [
        'system/marker',
        ['append', SESSION, undefined, ['uuid-a', 'uuid-b', 'uuid-c']],
        ['append', SESSION, 'subagents/agent-x', ['uuid-d']],
        'result/success',
      ],
      diagnostics: ['mirror_path_unknown', 'request_unsupported'],
    },
  },
  {
    ids: ['TS-178'],
    name: 'eager: one append for every mirrored frame, at once',
    options: (stage) => ({ sessionStore: noting(stage) as never, sessionStoreFlush: 'eager' }),
    cli: [USER, ...written.slice(0, 3), ...probe(), ...probe(), MARKER, GO_ON, RESULT, EOF],
    program: drainNoting,
    expect: {
      notes: [
        ['append', SESSION, undefined, ['uuid-a', 'uuid-b']],
        ['append', SESSION, undefined, ['uuid-c']],
        ['append', SESSION, 'subagents/agent-x', ['uuid-d']],
        'system/marker',
        'result/success',
      ],
      diagnostics: ['request_unsupported', 'request_unsupported'],
    },
  },
  {
    ids: ['TS-179'],
    name: 'an append that fails three times becomes a mirror_error before the result',
    options: (stage) => ({
      sessionStore: noting(stage, {
        append: () => {
          stage.note('append');
          return Promise.reject(new Error('no space'));
        },
      }) as never,
    }),
    cli: [USER, ...written.slice(0, 1), RESULT, EOF],
    program: async (stage) => {
      await drainNoting(stage);
      const [{ error, key } = {}] = stage.messages as unknown as JsonObject[];
      return [String(error).includes('no space'), (key as JsonObject).sessionId];
    },
    expect: {
      notes: ['append', 'append', 'append', 'system/mirror_error', 'result/success'],
      diagnostics: ['mirror_failed'],
      value: [true, SESSION],
    },
  },
  {
    ids: ['TS-180'],
    name: 'a session is resumed from the store through a private folder that goes afterwards',
    options: (stage) => ({
      resume: SESSION,
      sessionStore: noting(stage, {
        load: async ({ subpath }) => (subpath === undefined ? resumed : [entry('sub')]),
        listSubkeys: async () => ['subagents/agent-x'],
      }) as never,
    }),
    cli: [USER, MARKER, RESULT, EOF],
    program: lookAndLeave,
    expect: {
      value: {
        mode: '700',
        transcripts: [
          [`${SESSION}.jsonl`, ['uuid-a', 'uuid-b']],
          [`${SESSION}/subagents/agent-x.jsonl`, ['uuid-sub']],
        ],
        resume: [`--resume=${SESSION}`, '--session-mirror'],
      },
    },
  },
  {
    ids: ['TS-180'],
    name: 'continue becomes the newest session of the store',
    options: (stage) => ({
      continue: true,
      sessionStore: noting(stage, {
        load: async () => resumed,
        listSessions: async () => [
          { sessionId: OTHER, mtime: 1 },
          { sessionId: SESSION, mtime: 2 },
        ],
      }) as never,
    }),
    cli: [USER, MARKER, RESULT, EOF],
    program: lookAndLeave,
    expect: {
      value: {
        mode: '700',
        transcripts: [[`${SESSION}.jsonl`, ['uuid-a', 'uuid-b']]],
        resume: [`--resume=${SESSION}`, '--session-mirror'],
      },
    },
  },
  {
    ids: ['TS-180'],
    name: 'with an empty store nothing is continued; a session that the store has not is resumed without a folder',
    options: (stage) => ({ continue: true, sessionStore: noting(stage, { listSessions: async () => [] }) as never }),
    cli: [USER, RESULT, EOF],
    program: async (stage) => {
      await stage.drain();
      return stage.cli.log().argv.filter((token) => /^--(?:resume|continue)/.test(token));
    },
    expect: { value: [] },
  },
  {
    ids: ['TS-180'],
    name: 'a session that the store has not is resumed without a folder',
    options: (stage) => ({ resume: SESSION, sessionStore: noting(stage) as never }),
    cli: [USER, RESULT, EOF],
    program: async (stage) => {
      await stage.drain();
      const { argv, env } = stage.cli.log();
      return [argv.filter((token) => token.startsWith('--resume')), env.CLAUDE_CONFIG_DIR];
    },
    expect: { value: [[`--resume=${SESSION}`], undefined] },
  },
  {
    ids: ['TS-181'],
    name: 'a load that hangs ends the run after loadTimeoutMs, and nothing is started',
    options: (stage) => ({
      resume: SESSION,
      loadTimeoutMs: 50,
      sessionStore: noting(stage, { load: () => new Promise(() => {}) }) as never,
    }),
    cli: [],
    program: async (stage) => {
      const error: unknown = await stage.query.next().catch((thrown: unknown) => thrown);
      return [String(error).includes('load'), stage.cli.logs().length];
    },
    expect: { value: [true, 0], exitCode: undefined },
  },
  {
    ids: ['TS-181'],
    name: 'a load that fails ends the run with that error, and nothing is started',
    options: (stage) => ({
      resume: SESSION,
      sessionStore: noting(stage, { load: () => Promise.reject(new Error('the store is down')) }) as never,
    }),
    cli: [],
    program: async (stage) => {
      const error: unknown = await stage.query.next().catch((thrown: unknown) => thrown);
      return [String(error).includes('the store is down'), stage.cli.logs().length];
    },
    expect: { value: [true, 0], exitCode: undefined },
  },
  {
    ids: ['TS-181'],
    name: 'close() while the store loads ends the run without a process',
    options: (stage) => ({
      resume: SESSION,
      sessionStore: noting(stage, {
        load: () => {
          stage.open('loading');
          return new Promise(() => {});
        },
      }) as never,
    }),
    cli: [],
    program: async (stage) => {
      const { query } = stage;
      await stage.opened('loading');
      query.close();
      await stage.drain();
      return stage.cli.logs().length;
    },
    expect: { value: 0, exitCode: undefined },
  },
];
