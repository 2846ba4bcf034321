import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import {
  ClaudeClient,
  listSessions,
  type Options,
  query,
  type SDKMessage,
  type SDKUserMessage,
} from '../../src/index.js';
import type { MessagesApiOptions } from '../../src/testing/messages-api/server.js';
import { projectKeyForDirectory } from '../../src/transcripts/files/project-folder.js';
import { InMemorySessionStore } from '../../src/transcripts/store/in-memory-session-store.js';
import type { SessionStoreEntry } from '../../src/transcripts/store/session-store.js';
import { CURRENT } from './support/clis.js';
import { collect, results, resultTexts } from './support/collect.js';
import { expectNoProcess, type Stage, setStage } from './support/stage.js';
import { call } from './support/turns.js';

async function ask(stage: Stage, prompt: string, options: Options, env?: Record<string, string>) {
  const { messages, error } = await collect(query({ prompt, options: stage.options(options, env) }));
  expect(error).toBeUndefined();
  return messages;
}

function sessionIdOf(messages: readonly SDKMessage[]): string {
  return results(messages)[0]?.session_id ?? '';
}

/** An empty configuration folder: what the CLI knows in it comes from the store. */
function emptyConfig(stage: Stage, name: string): Record<string, string> {
  const path = join(stage.folder, name);
  mkdirSync(path);
  return { CLAUDE_CONFIG_DIR: path };
}

/** The texts of the conversation that the API saw in its last main call. */
function lastConversation(stage: Stage): string {
  return JSON.stringify(stage.api.requests.findLast(({ kind }) => kind === 'main')?.body);
}

afterEach(() => vi.unstubAllEnvs());

/** Where the SDK's own folders go: into the stage, so that those left behind are seen. */
async function setStoreStage(turns: MessagesApiOptions['turns']): Promise<Stage> {
  const stage = await setStage(CURRENT, { turns });
  vi.stubEnv('TMPDIR', join(stage.folder, 'tmp'));
  return stage;
}

function leftBehind(stage: Stage): readonly string[] {
  return readdirSync(join(stage.folder, 'tmp')).filter((name) => name.startsWith('claudewire-'));
}

/** The lines of a transcript that the CLI wrote, without those that it keeps to itself. */
function linesOf(config: string, projectKey: string, name: string): readonly SessionStoreEntry[] {
  const text = readFileSync(join(config, 'projects', projectKey, `${name}.jsonl`), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as SessionStoreEntry)
    .filter(({ type }) => !type.startsWith('api-request'));
}

/** Compares whole, and says where by kind only: contents are the CLI's, and long. */
function expectSame(entries: readonly SessionStoreEntry[] | null, written: readonly SessionStoreEntry[]): void {
  const kind = ({ type, uuid = '' }: SessionStoreEntry) => `${type} ${uuid}`;
  expect(entries?.map(kind)).toEqual(written.map(kind));
  expect(JSON.stringify(entries) === JSON.stringify(written), 'contents are equal').toBe(true);
}

test('a turn is mirrored, and another machine goes on with it: by id, by `continue`, and forked', async () => {
  const stage = await setStoreStage(['One.', 'Two.', 'Three.', 'Four.']);
  const store = new InMemorySessionStore();
  const projectKey = projectKeyForDirectory(stage.cwd);

  const first = await ask(stage, 'Remember the word plum.', { sessionStore: store });
  const sessionId = sessionIdOf(first);
  const mirrored = await store.load({ projectKey, sessionId });
  const config = join(stage.folder, 'config');
  expectSame(mirrored, linesOf(config, projectKey, sessionId));
  expect(mirrored?.map(({ type }) => type)).toContain('assistant');

  const second = await ask(
    stage,
    'Which word?',
    { sessionStore: store, resume: sessionId },
    emptyConfig(stage, 'second'),
  );
  expect(resultTexts(second)).toEqual(['Two.']);
  expect(sessionIdOf(second)).toBe(sessionId);
  expect(lastConversation(stage)).toContain('Remember the word plum.');
  const longer = await store.load({ projectKey, sessionId });
  expect(longer?.length).toBeGreaterThan(mirrored?.length ?? 0);
  expect(longer?.slice(0, mirrored?.length)).toEqual(mirrored);

  const third = await ask(
    stage,
    'And now?',
    { sessionStore: store, continue: true, sessionStoreFlush: 'eager' },
    emptyConfig(stage, 'third'),
  );
  expect(sessionIdOf(third)).toBe(sessionId);
  expect(lastConversation(stage)).toContain('Which word?');

  const fourth = await ask(
    stage,
    'In a copy.',
    { sessionStore: store, resume: sessionId, forkSession: true },
    emptyConfig(stage, 'fourth'),
  );
  const copyId = sessionIdOf(fourth);
  expect(copyId).not.toBe(sessionId);
  expect(lastConversation(stage)).toContain('And now?');
  expect(JSON.stringify(await store.load({ projectKey, sessionId: copyId }))).toContain('In a copy.');
  // Nothing of them was left on this machine but what the store has.
  for (const name of ['second', 'third', 'fourth']) {
    expect(readdirSync(join(stage.folder, name))).toEqual([]);
  }
  expect(leftBehind(stage)).toEqual([]);
  await expectNoProcess(stage);
});

test('`continue` takes no session of a directory with the same key; an image alone is listed', async () => {
  const stage = await setStoreStage(['One.', 'Two.', 'Three.']);
  const store = new InMemorySessionStore();
  const [own, other] = ['a.b', 'a_b'].map((name) => join(stage.folder, name)) as [string, string];
  for (const path of [own, other]) mkdirSync(path);
  const data = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const content = [
    { type: 'image' as const, source: { type: 'base64' as const, media_type: 'image/png' as const, data } },
  ];
  async function* image(): AsyncGenerator<SDKUserMessage> {
    yield { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null };
  }
  const first = await collect(query({ prompt: image(), options: stage.options({ cwd: own, sessionStore: store }) }));
  expect(first.error).toBeUndefined();
  const sessionId = sessionIdOf(first.messages);
  const row = { sessionId, summary: 'Image', cwd: realpathSync(own) };
  vi.stubEnv('CLAUDE_CONFIG_DIR', join(stage.folder, 'config'));
  for (const options of [{}, { sessionStore: store }]) {
    expect(await listSessions({ dir: own, ...options })).toMatchObject([row]);
    expect(await listSessions({ dir: other, ...options })).toEqual([]);
  }
  await ask(stage, 'Elsewhere.', { cwd: other, sessionStore: store, continue: true }, emptyConfig(stage, 'second'));
  expect(lastConversation(stage)).not.toContain(data);
  const last = { cwd: own, sessionStore: store, continue: true };
  expect(sessionIdOf(await ask(stage, 'And?', last, emptyConfig(stage, 'third')))).toBe(sessionId);
  expect(lastConversation(stage)).toContain(data);
  expect(lastConversation(stage)).not.toContain('Elsewhere.');
});

test('a subagent’s transcript is mirrored under its own key, and comes back with the session', async () => {
  const input = { description: 'd', prompt: 'Say hi.', subagent_type: 'general-purpose' };
  const stage = await setStoreStage([call('Agent', input), 'Hi.', 'Done.', 'Later.', 'Later.', 'Later.']);
  const store = new InMemorySessionStore();
  const projectKey = projectKeyForDirectory(stage.cwd);
  const first = await ask(stage, 'Ask the agent.', { sessionStore: store, allowedTools: ['Agent', 'Task'] });
  const sessionId = sessionIdOf(first);
  const [subpath = ''] = await store.listSubkeys({ projectKey, sessionId });
  expect(subpath).toMatch(/^subagents\/agent-\w+$/);
  const entries = (await store.load({ projectKey, sessionId, subpath })) ?? [];
  const config = join(stage.folder, 'config');
  const written = linesOf(config, projectKey, `${sessionId}/${subpath}`);
  expectSame(
    entries.filter(({ type }) => type !== 'agent_metadata'),
    written,
  );

  const options = stage.options({ sessionStore: store, resume: sessionId }, emptyConfig(stage, 'second'));
  await using client = new ClaudeClient(options);
  await client.connect();
  const temp = leftBehind(stage);
  expect(temp).toHaveLength(1);
  const resumed = join(stage.folder, 'tmp', temp[0] ?? '');
  const copied = linesOf(resumed, projectKey, `${sessionId}/${subpath}`);
  const sidecar = join(resumed, 'projects', projectKey, sessionId, `${subpath}.meta.json`);
  expect(JSON.parse(readFileSync(sidecar, 'utf8'))).toMatchObject({ agentType: 'general-purpose' });
  expectSame(copied, written);
  await client.disconnect();
  expect(leftBehind(stage)).toEqual([]);
});

test('a working directory whose name is too long for a folder: the key is the CLI’s own', async () => {
  const stage = await setStoreStage(['One.', 'Two.']);
  const cwd = join(stage.cwd, 'a'.repeat(120), 'b'.repeat(120));
  mkdirSync(cwd, { recursive: true });
  const store = new InMemorySessionStore();
  const first = await ask(stage, 'Remember the word fig.', { cwd, sessionStore: store });
  const sessionId = sessionIdOf(first);
  const projectKey = projectKeyForDirectory(cwd);
  expect(await store.load({ projectKey, sessionId })).not.toBeNull();
  const second = await ask(
    stage,
    'Which word?',
    { cwd, sessionStore: store, resume: sessionId },
    emptyConfig(stage, 'second'),
  );
  expect(sessionIdOf(second)).toBe(sessionId);
  expect(lastConversation(stage)).toContain('Remember the word fig.');
});

test('a run that is broken off leaves its transcript in the store', async () => {
  const stage = await setStoreStage(['One.', 'Two.']);
  const store = new InMemorySessionStore();
  let sessionId = '';
  for await (const message of query({
    prompt: 'Remember the word pear.',
    options: stage.options({ sessionStore: store }),
  })) {
    if (message.type !== 'assistant') continue;
    sessionId = message.session_id;
    break;
  }
  const projectKey = projectKeyForDirectory(stage.cwd);
  const entries = await store.load({ projectKey, sessionId });
  expect(JSON.stringify(entries)).toContain('Remember the word pear.');
  const written = linesOf(join(stage.folder, 'config'), projectKey, sessionId);
  expectSame(entries, written);
});

test('with a relative CLAUDE_CONFIG_DIR the CLI names its transcripts relatively, and they are stored', async () => {
  const stage = await setStoreStage(['One.', 'Two.']);
  const store = new InMemorySessionStore();
  const env = { CLAUDE_CONFIG_DIR: 'relcfg' };
  const first = await ask(stage, 'Remember the word quince.', { sessionStore: store }, env);
  expect(first.map((message) => Reflect.get(message, 'subtype'))).not.toContain('mirror_error');
  const sessionId = sessionIdOf(first);
  const projectKey = projectKeyForDirectory(stage.cwd);
  const written = linesOf(join(stage.cwd, 'relcfg'), projectKey, sessionId);
  expectSame(await store.load({ projectKey, sessionId }), written);

  const second = await ask(
    stage,
    'Which word?',
    { sessionStore: store, resume: sessionId },
    emptyConfig(stage, 'second'),
  );
  expect(resultTexts(second)).toEqual(['Two.']);
  expect(lastConversation(stage)).toContain('Remember the word quince.');
});

test('a CLI that was started with another configuration folder: each lost transcript is named, once', async () => {
  const stage = await setStoreStage(['One.', 'Two.']);
  const store = new InMemorySessionStore();
  const messages = await ask(stage, 'Remember the word medlar.', {
    sessionStore: store,
    spawnClaudeCodeProcess: ({ command, args, cwd, env, signal }) =>
      spawn(command, args, {
        cwd,
        env: { ...env, ...emptyConfig(stage, 'elsewhere') },
        signal,
        stdio: ['pipe', 'pipe', 'ignore'],
      }),
  });
  const key = { projectKey: projectKeyForDirectory(stage.cwd), sessionId: sessionIdOf(messages) };
  expect(await store.load(key)).toBeNull();
  const lost = messages.filter((message) => Reflect.get(message, 'subtype') === 'mirror_error');
  expect(lost).toMatchObject([{ key, error: expect.stringContaining('elsewhere') }]);
});
