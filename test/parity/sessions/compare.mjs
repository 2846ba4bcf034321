#!/usr/bin/env node
/**
 * Asks both packages the same about session files, and lets them make the same changes, and prints where they differ.
 *
 *   node test/parity/sessions/compare.mjs OFFICIAL OURS [--all] [--seed N] [--count N]
 *
 * OFFICIAL and OURS are the entry files. Besides the written cases, N histories (2000) and half as many transcripts with
 * any links are made by chance and read. Everything happens in a temporary folder. Last line: `N same, N differ as documented, N differ`. Exit 1 when a difference is not in `differences.mjs`.
 */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual, parseArgs } from 'node:util';
import * as cases from './cases.mjs';
import { isExpected } from './differences.mjs';
import * as e from './entries.mjs';
import { ENDS_OF_SUBAGENTS, history, KINDS, POSITIONS } from './histories.mjs';
import { listings } from './listings.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    all: { type: 'boolean' },
    seed: { type: 'string', default: '1' },
    count: { type: 'string', default: '2000' },
  },
});
const base = mkdtempSync(join(tmpdir(), 'claudewire-sessions-'));
process.on('exit', () => rmSync(base, { recursive: true, force: true }));
process.env.CLAUDE_CONFIG_DIR = base;
const [official, ours] = await Promise.all(
  positionals.map((path) => import(path.startsWith('file:') ? path : pathToFileURL(resolve(path)).href)),
);
const folder = join(base, 'projects', '-w');
const file = join(folder, `${e.SESSION}.jsonl`);
const counts = { same: 0, expected: 0, differ: 0 };

for (const part of [rows, archives, messages, chance, histories, forks, changes, subagents, places, documented])
  await part();
await listings({ base, compare, put, clear });
console.log(`${counts.same} same, ${counts.expected} differ as documented, ${counts.differ} differ`);
process.exitCode = counts.differ === 0 ? 0 : 1;

/** Puts one transcript into an otherwise empty configuration folder. */
function put(lines, { id = e.SESSION, project = '-w' } = {}) {
  const path = join(base, 'projects', project, `${id}.jsonl`);
  mkdirSync(dirname(path), { recursive: true });
  const isText = typeof lines === 'string' || Buffer.isBuffer(lines);
  writeFileSync(
    path,
    isText ? lines : lines.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''),
  );
  // A fraction of a millisecond, so that rounding is compared too.
  utimesSync(path, 1_770_000_000.1239, 1_770_000_000.1239);
}

function clear() {
  rmSync(join(base, 'projects'), { recursive: true, force: true });
}

/** Asks both, each after `prepare`, and compares what `ask` makes of it. */
async function compare(name, ask, prepare = () => {}) {
  const answers = [];
  for (const sdk of [official, ours]) {
    prepare();
    let answer;
    try {
      answer = { answer: await ask(sdk) };
    } catch (error) {
      answer = { rejected: error instanceof Error };
    }
    answers.push(JSON.parse(JSON.stringify(answer)));
  }
  const isSame = isDeepStrictEqual(answers[0], answers[1]);
  if (isSame && !isExpected(name)) counts.same += 1;
  else if (!isSame && isExpected(name)) counts.expected += 1;
  else {
    counts.differ += 1;
    if (counts.differ > 20 && !values.all) return;
    const [at, theirs, mine] = firstDifference(...answers);
    console.log(`${name}, at ${at}\n  official ${JSON.stringify(theirs)}\n  ours     ${JSON.stringify(mine)}`);
  }
}

/** Where two answers begin to differ, and what they have there. */
function firstDifference(one, other, at = '') {
  const isDeep = [one, other].every((value) => typeof value === 'object' && value !== null);
  const keys = isDeep ? Object.keys({ ...one, ...other }) : [];
  const key = keys.find((each) => !isDeepStrictEqual(one[each], other[each]));
  return key === undefined ? [at, one, other] : firstDifference(one[key], other[key], `${at}/${key}`);
}

async function rows() {
  for (const [name, lines] of Object.entries(cases.rows)) {
    clear();
    put(lines);
    await compare(`row: ${name}`, (sdk) => sdk.getSessionInfo(e.SESSION));
    await compare(`list: ${name}`, (sdk) => sdk.listSessions());
    await compare(`list, people: ${name}`, (sdk) => sdk.listSessions({ includeProgrammatic: false }));
  }
}

async function archives() {
  const mark = join(folder, e.SESSION, 'archived.json');
  const state = async (sdk) => (await sdk.getSessionInfo(e.SESSION)).archived;
  clear();
  mkdirSync(dirname(mark), { recursive: true });
  put([e.user(1, null, 'hi')]);
  for (const text of cases.marks) {
    writeFileSync(mark, text);
    await compare(`mark: ${text}`, state);
  }
  writeFileSync(mark, cases.marks[0]);
  for (const [name, lines] of Object.entries(cases.archived)) {
    put(lines);
    await compare(`archived: ${name}`, state);
  }
}

async function messages() {
  for (const [name, lines] of Object.entries(cases.conversations)) {
    clear();
    put(lines);
    for (const options of [
      {},
      { includeSystemMessages: true },
      { limit: 2 },
      { limit: 1, offset: 1 },
      { limit: 0 },
      { limit: -1, offset: 2 },
    ]) {
      await compare(`messages ${JSON.stringify(options)}: ${name}`, (sdk) =>
        sdk.getSessionMessages(e.SESSION, options),
      );
    }
  }
}

async function chance() {
  const numbers = e.randomNumbers(Number(values.seed));
  for (let index = 0; index < Number(values.count) / 2; index++) {
    const make = index % 2 === 0 ? e.anyTranscript : e.compactedTranscript;
    put(make(numbers));
    await compare(`made by chance, seed ${values.seed}, number ${index}`, (sdk) =>
      sdk.getSessionMessages(e.SESSION, { includeSystemMessages: true }),
    );
  }
}

/** Histories of every kind at every position, read in every way. Prints how often each was made. */
async function histories() {
  const before = { ...counts };
  const numbers = e.randomNumbers(Number(values.seed));
  const cells = Object.keys(KINDS).flatMap((kind) => POSITIONS.map((position) => ({ kind, position, made: 0 })));
  for (let index = 0; index < Number(values.count); index++) {
    const cell = cells[index % cells.length];
    cell.made += 1;
    if (index % 50 === 0) clear();
    const made = history(numbers, cell.kind, cell.position);
    const name = `history, seed ${values.seed}, number ${index}, ${cell.kind} ${cell.position}`;
    if (made.isSubagent) await subagentHistory(name, index, cell, made);
    else await mainHistory(name, index, made, numbers);
  }
  const width = Math.max(...Object.keys(KINDS).map(({ length }) => length));
  for (const [index, position] of POSITIONS.entries()) console.log(`  ${index}: ${position}`);
  console.log(`  ${''.padEnd(width)} ${POSITIONS.map((_, index) => String(index).padStart(3)).join('')}`);
  for (const kind of Object.keys(KINDS)) {
    const row = cells.filter((cell) => cell.kind === kind).map(({ made }) => String(made).padStart(3));
    console.log(`  ${kind.padEnd(width)} ${row.join('')}`);
  }
  const [same, expected, differ] = ['same', 'expected', 'differ'].map((key) => counts[key] - before[key]);
  console.log(`  ${values.count} histories: ${same} same, ${expected} differ as documented, ${differ} differ`);
}

async function mainHistory(name, index, { lines, cuts }, { pick }) {
  put(lines);
  await compare(name, (sdk) => sdk.getSessionMessages(e.SESSION, { includeSystemMessages: true }));
  if (index % 6 === 1) {
    await compare(`${name}, page`, (sdk) => sdk.getSessionMessages(e.SESSION, { limit: 3, offset: 1 }));
    await compare(`${name}, store`, async (sdk) => {
      const sessionStore = new sdk.InMemorySessionStore();
      await sdk.importSessionToStore(e.SESSION, sessionStore, { dir: '/w' });
      const options = { sessionStore, dir: '/w' };
      const fork = await sdk.forkSession(e.SESSION, options);
      const forked = await sdk.getSessionMessages(fork.sessionId, options);
      return [await sdk.getSessionMessages(e.SESSION, options), forked.map(({ message }) => message)];
    });
  }
  if (index % 6 !== 2) return;
  const upToMessageId = pick([undefined, pick(cuts)]);
  await compare(`${name}, fork at ${upToMessageId}`, async (sdk) => {
    const { sessionId } = await sdk.forkSession(e.SESSION, { upToMessageId });
    const forked = await sdk.getSessionMessages(sessionId, { includeSystemMessages: true });
    return [forkedFile(sessionId), forked.map(({ message }) => message ?? null)];
  });
}

async function subagentHistory(name, index, { kind }, { lines }) {
  put([e.user(1, null, 'hi')]);
  const path = join(folder, e.SESSION, 'subagents', 'agent-a.jsonl');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  writeFileSync(path.replace('.jsonl', '.meta.json'), '{"toolUseId":"toolu_1"}');
  const isCut = ENDS_OF_SUBAGENTS.has(kind);
  const ask = async (sdk, options) => {
    const messages = await sdk.getSubagentMessages(e.SESSION, 'a', options);
    return isCut ? messages.slice(-1) : messages;
  };
  await compare(name, (sdk) => ask(sdk));
  if (index % 4 !== 1) return;
  await compare(`${name}, store`, async (sdk) => {
    const sessionStore = new sdk.InMemorySessionStore();
    await sdk.importSessionToStore(e.SESSION, sessionStore, { dir: '/w' });
    const options = { sessionStore, dir: '/w' };
    return [await sdk.listSubagents(e.SESSION, options), await ask(sdk, options)];
  });
}

/** The written file, with ids and times that are made anew replaced by what they stand for. */
function forkedFile(sessionId) {
  const path = join(folder, `${sessionId}.jsonl`);
  const text = readFileSync(path, 'utf8');
  const entries = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const names = new Map([[sessionId, 'NEW']]);
  for (const { uuid, forkedFrom } of entries) {
    names.set(uuid, forkedFrom === undefined ? 'MADE' : `copy of ${forkedFrom.messageUuid}`);
  }
  let named = JSON.stringify(entries);
  for (const [id, name] of names) named = named.replaceAll(id, name);
  const now = new Date().toISOString().slice(0, 10);
  named = named.replaceAll(new RegExp(`"${now}T[^"]*"`, 'g'), '"NOW"');
  return { mode: statSync(path).mode & 0o777, endsInNewline: text.endsWith('\n'), entries: JSON.parse(named) };
}

async function forks() {
  for (const [name, [lines, cuts]] of Object.entries(cases.forks)) {
    const optionsOf = [undefined, { title: '  Mine ' }, { title: ' ' }];
    for (const options of [...optionsOf, ...cuts.map((n) => ({ upToMessageId: e.uuid(n) }))]) {
      await compare(
        `fork ${JSON.stringify(options)}: ${name}`,
        async (sdk) => forkedFile((await sdk.forkSession(e.SESSION, options)).sessionId),
        () => {
          clear();
          put(lines);
        },
      );
    }
  }
}

async function changes() {
  const fresh = () => {
    clear();
    put([e.user(1, null, 'hi')]);
  };
  const added = () => readFileSync(file, 'utf8').split('\n').slice(1);
  for (const title of cases.titles) {
    await compare(
      `rename ${JSON.stringify(title)}`,
      async (sdk) => [await sdk.renameSession(e.SESSION, title), added()],
      fresh,
    );
  }
  for (const tag of cases.tags) {
    await compare(`tag ${JSON.stringify(tag)}`, async (sdk) => [await sdk.tagSession(e.SESSION, tag), added()], fresh);
  }
  const others = [e.SESSION.toUpperCase(), '../../x', e.uuid(5), ''];
  for (const id of others) {
    for (const name of [
      'getSessionInfo',
      'getSessionMessages',
      'listSubagents',
      'renameSession',
      'tagSession',
      'archiveSession',
      'unarchiveSession',
      'deleteSession',
      'forkSession',
    ]) {
      await compare(
        `${name} of ${id}`,
        (sdk) => (name.startsWith('rename') || name.startsWith('tag') ? sdk[name](id, 'x') : sdk[name](id)),
        fresh,
      );
    }
  }
  const markOf = () => {
    const path = join(folder, e.SESSION, 'archived.json');
    const { at: _, ...rest } = JSON.parse(readFileSync(path, 'utf8'));
    return [rest, statSync(path).mode & 0o777, statSync(dirname(path)).mode & 0o777, readdirSync(dirname(path))];
  };
  for (const steps of [
    ['archiveSession'],
    ['unarchiveSession'],
    ['archiveSession', 'unarchiveSession'],
    ['archiveSession', 'archiveSession'],
  ]) {
    await compare(
      steps.join(', '),
      async (sdk) => {
        for (const step of steps) await sdk[step](e.SESSION);
        return [markOf(), (await sdk.getSessionInfo(e.SESSION)).archived];
      },
      fresh,
    );
  }
  await compare(
    'delete',
    async (sdk) => [await sdk.deleteSession(e.SESSION), readdirSync(folder)],
    () => {
      fresh();
      mkdirSync(join(folder, e.SESSION, 'subagents'), { recursive: true });
      writeFileSync(join(folder, e.SESSION, 'subagents', 'agent-a.jsonl'), 'x');
    },
  );
}

async function subagents() {
  clear();
  put([e.user(1, null, 'hi')]);
  const home = join(folder, e.SESSION, 'subagents');
  const lines = [
    e.user(11, null, 'task'),
    e.assistant(12, 11, 'a'),
    e.user(13, 12, 'm', { isMeta: true }),
    e.assistant(14, 13, 'z', { isSidechain: true }),
  ];
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  for (const name of [
    'agent-b.jsonl',
    'agent-a.jsonl',
    'nested/agent-c.jsonl',
    'nested/agent-a.jsonl',
    'agent-x y.jsonl',
    'other.jsonl',
    'agent-t.txt',
  ]) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  }
  writeFileSync(join(home, 'agent-none.jsonl'), '');
  writeFileSync(join(home, 'agent-a.meta.json'), '{"toolUseId":"toolu_1","parentAgentId":"p"}');
  writeFileSync(join(home, 'agent-b.meta.json'), '{"toolUseId":5}');
  mkdirSync(join(home, 'agent-folder.jsonl'));
  await compare('subagents', (sdk) => sdk.listSubagents(e.SESSION));
  for (const id of [
    'a',
    'b',
    'c',
    'x y',
    'none',
    'folder',
    'nope',
    '',
    '..',
    '../subagents/agent-a',
    'nested/agent-c',
  ]) {
    await compare(`subagent ${id}`, (sdk) => sdk.getSubagentMessages(e.SESSION, id));
  }
  await compare('page of a subagent', (sdk) => sdk.getSubagentMessages(e.SESSION, 'a', { limit: 1, offset: 1 }));
}

/** Which folders are looked into, and in what order rows stand. */
async function places() {
  clear();
  const work = join(base, 'work');
  const deep = join(work, 'l'.repeat(120), 'm'.repeat(120));
  const tree = join(base, 'tree');
  mkdirSync(join(work, 'sub'), { recursive: true });
  mkdirSync(deep, { recursive: true });
  mkdirSync(join(work, '.git', 'worktrees', 'tree'), { recursive: true });
  const name = (path) => path.replace(/[^a-zA-Z0-9]/g, '-');
  const said = { ...e.user(1, null, 'hi'), cwd: undefined };
  const at = [work, join(work, 'sub'), tree, `${work}-other`];
  const times = [3, 1, 4, 2];
  at.forEach((path, index) => {
    put([said], { id: e.uuid(index + 1), project: name(path) });
    const when = 1_760_000_000 + times[index];
    utimesSync(join(base, 'projects', name(path), `${e.uuid(index + 1)}.jsonl`), when, when);
  });
  put([said], { id: 'not-a-uuid', project: name(work) });
  put('', { id: e.uuid(8), project: name(work) });
  for (const options of [
    {},
    { dir: '' },
    { dir: `${work}/` },
    { dir: join(base, 'nowhere') },
    { limit: 2 },
    { offset: 1, limit: 2 },
    { offset: 9 },
    { limit: -1 },
    { limit: 0 },
  ]) {
    await compare(`list ${JSON.stringify(options)}`, (sdk) => sdk.listSessions(options));
  }
  for (const [index] of at.entries()) {
    await compare(`row ${index} by directory`, (sdk) => sdk.getSessionInfo(e.uuid(index + 1), { dir: work }));
  }
  const hash = [...deep].reduce((sum, char) => (Math.imul(sum, 31) + char.charCodeAt(0)) | 0, 0);
  const long = `${name(deep).slice(0, 200)}-${Math.abs(hash).toString(36)}`;
  put([said], { id: e.uuid(20), project: long });
  await compare('list a long path', (sdk) => sdk.listSessions({ dir: deep }));
}

/** What docs/evidence/differences.md lists: each of these is expected to differ, and noticed when it no longer does. */
async function documented() {
  const nested = { gitBranch: 'nested', timestamp: '2020-01-01T00:00:00Z', isMeta: true };
  clear();
  put([{ ...e.user(1, null, [{ type: 'text', text: 'hi', nested }]), gitBranch: 'main' }, e.user(2, 1, 'b')]);
  await compare('nested fields', (sdk) => sdk.getSessionInfo(e.SESSION));
  await compare('negative offset', (sdk) => sdk.getSessionMessages(e.SESSION, { offset: -1, limit: 1 }));
  await compare('limit of a wrong type', (sdk) => sdk.listSessions({ limit: 'x' }));
  await compare(
    'unfinished last line',
    async (sdk) => [await sdk.renameSession(e.SESSION, 'T'), readFileSync(file, 'utf8').split('\n').length],
    () => put(JSON.stringify(e.user(1, null, 'hi'))),
  );
  const keptRange = { headUuid: e.uuid(1), anchorUuid: e.uuid(4), tailUuid: e.uuid(99) };
  put([
    e.user(1, null, 'hi'),
    e.boundary(3, null, 1, { preservedSegment: keptRange }),
    e.summary(4, 3),
    e.user(5, 4, 'b'),
  ]);
  await compare('kept messages that are missing', (sdk) => sdk.getSessionMessages(e.SESSION));
  const reversed = { headUuid: e.uuid(4), anchorUuid: e.uuid(8), tailUuid: e.uuid(5) };
  put([
    e.user(1, null, 'hi'),
    e.assistant(2, 1, 'x'),
    e.boundary(3, null, 2, { preservedMessages: { anchorUuid: e.uuid(3), uuids: [e.uuid(2)] } }),
    e.attachment(4, 3),
    e.user(5, 2, 'b'),
    e.assistant(6, 5, 'y'),
    e.boundary(7, null, 6, { preservedSegment: reversed }),
    e.summary(8, 7),
  ]);
  await compare('a kept segment that ends before it begins', (sdk) => sdk.getSessionMessages(e.SESSION));
  const subagent = join(folder, e.SESSION, 'subagents', 'agent-a.jsonl');
  mkdirSync(dirname(subagent), { recursive: true });
  const lines = [e.user(11, null, 'task'), e.system(12, 11), e.assistant(13, 12, 'x')];
  writeFileSync(subagent, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  await compare('system entry of a subagent', (sdk) => sdk.getSubagentMessages(e.SESSION, 'a'));
  const outside = join(base, 'outside');
  mkdirSync(outside, { recursive: true });
  writeFileSync(join(outside, `${e.uuid(7)}.jsonl`), `${JSON.stringify(e.user(1, null, 'hi'))}\n`);
  symlinkSync(outside, join(base, 'projects', '-link'));
  await compare('link to a folder outside', (sdk) => sdk.getSessionInfo(e.uuid(7)));
}
