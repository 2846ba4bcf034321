import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { ClaudeClient, type Options, query } from '../../../src/index.js';
import { projectKeyForDirectory } from '../../../src/transcripts/files/project-folder.js';
import { makeGitFolder } from '../../helpers/git-folder.js';
import { entry, ID, type Launch, OTHER_ID, type ResumeStage, setResumeStage, spiedStore } from './stage.js';

interface Run {
  readonly types: readonly string[];
  readonly launch: Launch | undefined;
  readonly error: unknown;
}

async function run(stage: ResumeStage, options: Options): Promise<Run> {
  const types: string[] = [];
  let launch: Launch | undefined;
  try {
    for await (const message of query({ prompt: 'Go.', options: stage.options(options) })) {
      types.push(message.type);
      // The fixture's own frame, which no union knows.
      if ((message.type as string) === 'launch') launch = message as unknown as Launch;
    }
    return { types, launch, error: undefined };
  } catch (error) {
    return { types, launch, error };
  }
}

const flagsOf = (launch: Launch | undefined) =>
  launch?.argv.filter((token) => /^--(resume|continue|session-mirror|fork)/.test(token));

describe('a session from a store', () => {
  test('lies in a private configuration folder of its own, which is gone afterwards (TS-180, PY-308)', async () => {
    const stage = setResumeStage();
    const store = spiedStore({ load: () => [entry(1), entry(2, { text: 'grüße \u2028' })] });
    const { types, launch, error } = await run(stage, { sessionStore: store, resume: ID });
    expect(error).toBeUndefined();
    expect(types).toEqual(['launch', 'result']);
    expect(flagsOf(launch)).toEqual([`--resume=${ID}`, '--session-mirror']);
    expect(launch?.folder).not.toBe(stage.config);
    expect(launch?.mode).toBe(0o700);
    expect(launch?.files).toEqual({
      projects: { mode: '700' },
      [`projects/${stage.projectKey}`]: { mode: '700' },
      [`projects/${stage.projectKey}/${ID}.jsonl`]: {
        mode: '600',
        text: `${JSON.stringify(entry(1))}\n${JSON.stringify(entry(2, { text: 'grüße \u2028' }))}\n`,
      },
    });
    expect(store.calls).toEqual(['load 1111 main', 'append 1111 main']);
    expect(store.appended).toEqual([{ type: 'user', uuid: 'new' }]);
    expect(stage.left()).toEqual([]);
    expect(stage.diagnostics).toEqual([]);
  });

  test('is found from another worktree of its repository, and stays under the project that it is stored in', async () => {
    const stage = setResumeStage();
    const worktree = join(stage.config, 'wt');
    makeGitFolder(join(stage.cwd, '.git'));
    mkdirSync(join(stage.cwd, '.git', 'worktrees', 'wt'), { recursive: true });
    mkdirSync(worktree);
    writeFileSync(join(stage.cwd, '.git', 'worktrees', 'wt', 'gitdir'), join(worktree, '.git'));
    writeFileSync(join(stage.cwd, '.git', 'worktrees', 'wt', 'commondir'), '../..');
    writeFileSync(join(worktree, '.git'), `gitdir: ${join(stage.cwd, '.git', 'worktrees', 'wt')}`);
    const appendedTo: string[] = [];
    const store = spiedStore({
      load: ({ projectKey, subpath }) =>
        projectKey === stage.projectKey ? [entry(subpath === undefined ? 1 : 2)] : [],
      listSubkeys: () => ['subagents/agent-a'],
    });
    const { append } = store;
    store.append = (key, entries) => {
      appendedTo.push(key.projectKey);
      return append(key, entries);
    };
    const here = projectKeyForDirectory(worktree);
    const env = { ...stage.options({}).env, REMEMBERS: `${here}/${ID}.jsonl` };
    const { launch, error } = await run(stage, { sessionStore: store, resume: ID, cwd: worktree, env });
    expect(error).toBeUndefined();
    expect(Object.keys(launch?.files ?? {})).toEqual(
      expect.arrayContaining([`projects/${here}/${ID}.jsonl`, `projects/${here}/${ID}/subagents/agent-a.jsonl`]),
    );
    expect(appendedTo).toEqual([stage.projectKey]);
  });

  test('the user’s own files are copied: no refresh token, nothing that leads back to the old folder (PY-309)', async () => {
    const stage = setResumeStage();
    const settings = {
      model: 'm',
      enabledPlugins: { p: true },
      extraKnownMarketplaces: { k: {} },
      env: { CLAUDE_CONFIG_DIR: '/old', A: '1' },
    };
    const put = (name: string, text: string) => writeFileSync(join(stage.config, name), text);
    put(
      '.credentials.json',
      JSON.stringify({
        claudeAiOauth: { accessToken: 'a', refreshToken: 'secret' },
        mcpOAuth: { 'srv|1': { accessToken: 'm', refreshToken: 'secret', scopes: ['x'] } },
        other: [{ refreshToken: 'secret', n: 1 }],
      }),
    );
    put('.claude.json', '{"userID":"u"}');
    const others = [
      '.config.json',
      '.claude-custom-oauth.json',
      '.claude-staging-oauth.json',
      '.claude-local-oauth.json',
    ];
    for (const name of others) put(name, `{"name":"${name}"}`);
    put('settings.json', `\uFEFF${JSON.stringify(settings)}`);
    put('cowork_settings.json', '{ not json');
    put('settings.local.json', '{}');
    const { launch } = await run(stage, { sessionStore: spiedStore({ load: () => [entry(1)] }), resume: ID });
    const { projects: _, ...files } = launch?.files ?? {};
    const own = Object.entries(files).filter(([name]) => !name.startsWith('projects'));
    expect(Object.fromEntries(own)).toEqual({
      '.credentials.json': {
        mode: '600',
        text: '{"claudeAiOauth":{"accessToken":"a"},"mcpOAuth":{"srv|1":{"accessToken":"m","scopes":["x"]}},"other":[{"n":1}]}',
      },
      '.claude.json': { mode: '600', text: '{"userID":"u"}' },
      ...Object.fromEntries(others.map((name) => [name, { mode: '600', text: `{"name":"${name}"}` }])),
      'settings.json': { mode: '600', text: '{"model":"m","env":{"A":"1"}}' },
      'cowork_settings.json': { mode: '600', text: '{ not json' },
    });
  });

  test('what is no plain file, or cannot be read as credentials, is left out (PY-309)', async () => {
    const stage = setResumeStage();
    writeFileSync(join(stage.config, '.credentials.json'), '{"claudeAiOauth":{"refreshToken":"x"');
    mkdirSync(join(stage.config, 'settings.json'));
    symlinkSync('/nowhere', join(stage.config, '.claude.json'));
    const { launch, error } = await run(stage, { sessionStore: spiedStore({ load: () => [entry(1)] }), resume: ID });
    expect(error).toBeUndefined();
    expect(Object.keys(launch?.files ?? {}).filter((name) => !name.startsWith('projects'))).toEqual([]);
  });

  test('subagents come with it, unsafe names are neither loaded nor written (PY-309, PY-312)', async () => {
    const stage = setResumeStage();
    const unsafe = ['../evil', '/abs', '', 'a//b', 'a/../b', 'C:\\x', 'a\\b', 'nul\0', '.'];
    const store = spiedStore({
      load: ({ subpath }) => {
        if (subpath === undefined) return [entry(1)];
        if (subpath === 'subagents/gone') return null;
        if (subpath === 'only/meta') return [{ type: 'agent_metadata', a: 1 }];
        return [
          { type: 'agent_metadata', agentType: 'old' },
          entry(2),
          { type: 'agent_metadata', agentType: 'new', depth: 1 },
        ];
      },
      listSubkeys: () => [
        'subagents/agent-a',
        ...unsafe,
        'subagents/w/r/agent-b',
        'subagents/gone',
        'only/meta',
        'subagents/agent-a',
      ],
    });
    const { launch, error } = await run(stage, { sessionStore: store, resume: ID });
    expect(error).toBeUndefined();
    const base = `projects/${stage.projectKey}/${ID}/`;
    const texts = Object.entries(launch?.files ?? {}).flatMap(([name, { text, mode }]) =>
      name.startsWith(base) && text !== undefined ? [[name.slice(base.length), mode, text]] : [],
    );
    const line = `${JSON.stringify(entry(2))}\n`;
    const meta = '{"agentType":"new","depth":1}';
    expect(texts).toEqual([
      ['only/meta.meta.json', '600', '{"a":1}'],
      ['subagents/agent-a.jsonl', '600', line],
      ['subagents/agent-a.meta.json', '600', meta],
      ['subagents/w/r/agent-b.jsonl', '600', line],
      ['subagents/w/r/agent-b.meta.json', '600', meta],
    ]);
    expect(store.calls.filter((call) => call.startsWith('load'))).toEqual([
      'load 1111 main',
      'load 1111 subagents/agent-a',
      'load 1111 subagents/w/r/agent-b',
      'load 1111 subagents/gone',
      'load 1111 only/meta',
    ]);
    expect(stage.diagnostics.map(({ code }) => code)).toEqual(unsafe.map(() => 'stored_part_skipped'));
  });

  test('a subpath that the file system cannot have beside the others is left out (PY-312)', async () => {
    const stage = setResumeStage();
    const long = `subagents/${'x'.repeat(300)}`;
    const { launch, error } = await run(stage, {
      sessionStore: spiedStore({
        load: () => [entry(1)],
        listSubkeys: () => ['a', 'a.jsonl/b', long, 'subagents/agent-c'],
      }),
      resume: ID,
    });
    expect(error).toBeUndefined();
    const base = `projects/${stage.projectKey}/${ID}/`;
    const files = Object.entries(launch?.files ?? {}).flatMap(([name, { text }]) =>
      name.startsWith(base) && text !== undefined ? [name.slice(base.length)] : [],
    );
    expect(files).toEqual(['a.jsonl', 'subagents/agent-c.jsonl']);
    expect(stage.diagnostics.map(({ code, details }) => [code, details?.subpath])).toEqual([
      ['stored_part_skipped', 'a.jsonl/b'],
      ['stored_part_skipped', long.slice(0, 200)],
    ]);
  });

  test('a transcript longer than one write arrives whole', async () => {
    const stage = setResumeStage();
    const entries = Array.from({ length: 40 }, (_, n) => entry(n, { text: 'x'.repeat(100_000) }));
    const { launch } = await run(stage, { sessionStore: spiedStore({ load: () => entries }), resume: ID });
    const lines = launch?.files[`projects/${stage.projectKey}/${ID}.jsonl`]?.text?.split('\n');
    expect(lines?.pop()).toBe('');
    expect(lines?.map((line) => JSON.parse(line))).toEqual(entries);
  });

  test('the client resumes from a store too', async () => {
    const stage = setResumeStage();
    const store = spiedStore({ load: () => [entry(1)] });
    const client = new ClaudeClient(stage.options({ sessionStore: store, resume: ID }));
    await client.connect();
    // The name by which a later process knows that this one is gone.
    expect(stage.left()).toEqual([expect.stringMatching(/^claudewire(?:-[\da-z]+){3}-\w{6}$/)]);
    await client.query('Go.');
    const types: string[] = [];
    for await (const message of client.receiveResponse()) types.push(message.type);
    expect(types).toEqual(['launch', 'result']);
    expect(store.appended).toHaveLength(1);
    await client.disconnect();
    expect(stage.left()).toEqual([]);
  });

  test('`spawnClaudeCodeProcess` gets the folder too, and it goes with its process', async () => {
    const stage = setResumeStage();
    const folders: unknown[] = [];
    const { launch, error } = await run(stage, {
      sessionStore: spiedStore({ load: () => [entry(1)] }),
      resume: ID,
      spawnClaudeCodeProcess: ({ command, args, cwd, env }) => {
        folders.push(env.CLAUDE_CONFIG_DIR);
        return spawn(command, args, { cwd, env }) as ChildProcessWithoutNullStreams;
      },
    });
    expect(error).toBeUndefined();
    expect(folders).toEqual([launch?.folder]);
    expect(stage.left()).toEqual([]);
  });
});

describe('what is not in the store', () => {
  test.each([
    ['null (PY-310)', null],
    ['an empty list (PY-310)', []],
  ])('%s: the CLI tries its own files', async (_, answer) => {
    const stage = setResumeStage();
    const store = spiedStore({ load: () => answer });
    const { launch } = await run(stage, { sessionStore: store, resume: ID, continue: true });
    expect(flagsOf(launch)).toEqual([`--resume=${ID}`, '--session-mirror']);
    expect(launch?.folder).toBe(stage.config);
    expect(store.appended).toHaveLength(1);
  });

  test('a `resume` that is no UUID is the CLI’s to find (PY-310)', async () => {
    const stage = setResumeStage();
    const store = spiedStore({ load: () => [entry(1)] });
    const { launch } = await run(stage, { sessionStore: store, resume: 'a title' });
    expect(flagsOf(launch)).toEqual(['--resume=a title', '--session-mirror']);
    expect(store.calls).toEqual(['append 1111 main']);
  });

  test('`continue` with an empty store is a new session (TS-180)', async () => {
    const stage = setResumeStage();
    const store = spiedStore({ listSessions: () => [] });
    const { launch } = await run(stage, { sessionStore: store, continue: true });
    expect(flagsOf(launch)).toEqual(['--session-mirror']);
    expect(launch?.folder).toBe(stage.config);
  });
});

describe('continue', () => {
  test.each([
    {
      name: 'is `--resume` of the newest (TS-180, PY-311)',
      listed: [
        { sessionId: OTHER_ID, mtime: 1 },
        { sessionId: ID, mtime: 5 },
      ],
      resumes: ID,
    },
    {
      name: 'keeps the store’s order among equals (PY-311)',
      listed: [
        { sessionId: OTHER_ID, mtime: 5 },
        { sessionId: ID, mtime: 5 },
      ],
      resumes: OTHER_ID,
    },
    {
      name: 'passes over what is no session id (PY-311)',
      listed: [
        { sessionId: '../../etc', mtime: 9 },
        { sessionId: ID, mtime: 5 },
      ],
      resumes: ID,
    },
  ])('$name', async ({ listed, resumes }) => {
    const stage = setResumeStage();
    const store = spiedStore({ listSessions: () => listed, load: () => [entry(1)] });
    const { launch } = await run(stage, { sessionStore: store, continue: true, forkSession: true });
    expect(flagsOf(launch)).toEqual([`--resume=${resumes}`, '--session-mirror', '--fork-session']);
    expect(Object.keys(launch?.files ?? {})).toContain(`projects/${stage.projectKey}/${resumes}.jsonl`);
  });

  test.each([
    ['a sidechain', [entry(1, { isSidechain: true })]],
    ['gone', null],
    ['empty', []],
  ])('passes over a session that is %s (PY-311)', async (_, newest) => {
    const stage = setResumeStage();
    const store = spiedStore({
      listSessions: () => [
        { sessionId: OTHER_ID, mtime: 9 },
        { sessionId: ID, mtime: 5 },
      ],
      load: ({ sessionId }) => (sessionId === OTHER_ID ? newest : [entry(1)]),
    });
    const { launch } = await run(stage, { sessionStore: store, continue: true });
    expect(flagsOf(launch)).toEqual([`--resume=${ID}`, '--session-mirror']);
  });
});

describe('continue, where another directory has the same key', () => {
  const THIRD_ID = '33333333-3333-4333-8333-333333333333';
  const times = [THIRD_ID, OTHER_ID, ID].map((sessionId, index) => ({ sessionId, mtime: 9 - index }));

  test('takes no session that began there', async () => {
    const stage = setResumeStage('work.a');
    const other = stage.cwd.replace('work.a', 'work_a');
    const store = spiedStore({
      listSessions: () => times,
      load: ({ sessionId }) => [
        entry(1),
        entry(2, { cwd: sessionId === ID ? stage.cwd : other }),
        entry(3, { cwd: '/' }),
      ],
    });
    const { launch } = await run(stage, { sessionStore: store, continue: true });
    expect(flagsOf(launch)).toEqual([`--resume=${ID}`, '--session-mirror']);
  });

  test('begins a new session when there are only such', async () => {
    const stage = setResumeStage('work.a');
    const other = stage.cwd.replace('work.a', 'work_a');
    const store = spiedStore({ listSessions: () => times, load: () => [entry(1, { cwd: other })] });
    const { launch } = await run(stage, { sessionStore: store, continue: true });
    expect(flagsOf(launch)).toEqual(['--session-mirror']);
    expect(launch?.folder).toBe(stage.config);
  });

  test('loads one of them, where the store has summaries', async () => {
    const stage = setResumeStage('work.a');
    const other = stage.cwd.replace('work.a', 'work_a');
    const store = spiedStore({
      listSessions: () => times,
      listSessionSummaries: () =>
        times.map(({ sessionId, mtime }) => ({ sessionId, mtime, data: sessionId === ID ? {} : { cwd: other } })),
      load: ({ sessionId }) => [entry(1, sessionId === ID ? {} : { cwd: other })],
    });
    const { launch } = await run(stage, { sessionStore: store, continue: true });
    expect(flagsOf(launch)).toEqual([`--resume=${ID}`, '--session-mirror']);
    const read = store.calls.filter((call) => !call.startsWith('append'));
    expect(read).toEqual(['listSessions', 'load 3333 main', 'listSessionSummaries', 'load 1111 main']);
  });

  test.each<[kind: string, cwdOf: (cwd: string) => unknown]>([
    ['that was moved', () => '/elsewhere'],
    ['of a subfolder', (cwd) => `${cwd}/sub`],
    ['that came through a link', (cwd) => cwd.replace('work.a', 'work+a')],
    ['that went there later', (cwd) => cwd],
    ['that names none', () => undefined],
  ])('takes one %s', async (_kind, cwdOf) => {
    const stage = setResumeStage('work.a');
    symlinkSync(stage.cwd, stage.cwd.replace('work.a', 'work+a'));
    const later = entry(2, { cwd: stage.cwd });
    const store = spiedStore({ listSessions: () => times, load: () => [entry(1, { cwd: cwdOf(stage.cwd) }), later] });
    const { launch } = await run(stage, { sessionStore: store, continue: true });
    expect(flagsOf(launch)).toEqual([`--resume=${THIRD_ID}`, '--session-mirror']);
  });

  test('`resume` takes the session that was named', async () => {
    const stage = setResumeStage('work.a');
    const other = stage.cwd.replace('work.a', 'work_a');
    const store = spiedStore({ load: () => [entry(1, { cwd: other })] });
    const { launch } = await run(stage, { sessionStore: store, resume: ID });
    expect(flagsOf(launch)).toEqual([`--resume=${ID}`, '--session-mirror']);
    expect(launch?.folder).not.toBe(stage.config);
  });
});

describe('a store that fails', () => {
  const down = () => {
    throw new RangeError('db down');
  };
  const never = () => new Promise(() => {});
  const main = (more: () => unknown) => (key: { subpath?: string }) =>
    key.subpath === undefined ? [entry(1)] : more();
  const listSubkeys = () => ['subagents/agent-a'];
  const failed = (method: string, more: object = {}) => ({
    name: 'SessionStoreError',
    errorClass: 'session_store_failed',
    method,
    cause: expect.any(RangeError),
    message: expect.stringContaining('db down'),
    ...more,
  });
  const late = (method: string, more: object = {}) => ({
    name: 'SessionStoreError',
    errorClass: 'session_store_timeout',
    method,
    message: expect.stringContaining(`SessionStore.${method}() timed out after 30ms`),
    ...more,
  });

  test.each([
    { name: 'load rejects', store: { load: down }, error: failed('load', { sessionId: ID }) },
    { name: 'listSubkeys rejects', store: { load: main(never), listSubkeys: down }, error: failed('listSubkeys') },
    {
      name: 'the load of a subagent rejects',
      store: { load: main(down), listSubkeys },
      error: failed('load', { subpath: 'subagents/agent-a' }),
    },
    { name: 'load hangs (TS-181)', store: { load: never }, error: late('load', { sessionId: ID }) },
    {
      name: 'listSubkeys hangs (TS-181)',
      store: { load: main(never), listSubkeys: never },
      error: late('listSubkeys'),
    },
    {
      name: 'the load of a subagent hangs (TS-181)',
      store: { load: main(never), listSubkeys },
      error: late('load', { subpath: 'subagents/agent-a' }),
    },
    { name: 'listSessions hangs (TS-181)', store: { listSessions: never }, error: late('listSessions') },
    { name: 'listSessions rejects', store: { listSessions: down }, error: failed('listSessions') },
    {
      name: 'load gives text',
      store: { load: () => 'entries' },
      error: { errorClass: 'session_store_failed', method: 'load' },
    },
    {
      name: 'load gives what is no JSON',
      store: { load: () => [entry(1, { n: 1n })] },
      error: { errorClass: 'session_store_failed', method: 'load', cause: expect.any(TypeError) },
    },
    {
      name: 'listSessions gives nothing',
      store: { listSessions: () => undefined },
      error: { errorClass: 'session_store_failed', method: 'listSessions' },
    },
  ])('$name: the loop says so, nothing is started, no folder is left (PY-313)', async (row) => {
    const stage = setResumeStage();
    const spawnClaudeCodeProcess = vi.fn();
    const fromList = 'listSessions' in row.store;
    const { types, error } = await run(stage, {
      sessionStore: spiedStore(row.store),
      ...(fromList ? { continue: true } : { resume: ID }),
      loadTimeoutMs: 30,
      spawnClaudeCodeProcess,
    });
    expect(types).toEqual([]);
    expect(error).toMatchObject(row.error);
    expect(spawnClaudeCodeProcess).not.toHaveBeenCalled();
    expect(stage.left()).toEqual([]);
  });

  test('`loadTimeoutMs: 0` is no limit', async () => {
    const stage = setResumeStage();
    const store = spiedStore({
      load: async () => {
        await new Promise((resolve) => setTimeout(resolve, 30));
        return [entry(1)];
      },
    });
    const { error } = await run(stage, { sessionStore: store, resume: ID, loadTimeoutMs: 0 });
    expect(error).toBeUndefined();
  });
});
