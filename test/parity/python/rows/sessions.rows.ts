import type { Json, Look, Row } from '../harness/row.js';
import { differs, pureLook, type Stated } from '../pure/looks.js';
import type { FileSpec, JsonRecord, PureCall, PureProgram } from '../pure/program.js';
import {
  assistant,
  call,
  HI,
  info,
  list,
  messages,
  OTHER,
  other,
  SESSION,
  sessionId,
  TURN,
  tag,
  title,
  transcript,
  user,
  uuid,
} from '../pure/transcripts.js';

type SessionRow = Row<PureProgram>;
type Entries = FileSpec['content'];

const ids = (...names: string[]): Json => ({ value: names.map((sessionId) => ({ sessionId })) });
const value = (...values: Json[]): Json => ({ results: values.map((one) => ({ value: one })) });

/** The row of one session in a folder with one transcript, and its place in the list. */
function rowOf(name: string, content: Entries, pattern: Json, stated: Stated = {}): Look<PureProgram> {
  return pureLook(`row: ${name}`, [info()], { files: [transcript(content)], both: { results: [pattern] }, ...stated });
}

/** Fields of a message that Python's class has. */
const FIELDS = ['type', 'uuid', 'sessionId', 'message', 'parentToolUseId', 'parentAgentId'];

/** Paths of those fields of `count` messages, in the results at these places. */
function fieldsOf(...counts: readonly number[]): readonly string[] {
  return counts.flatMap((count, result) =>
    Array.from({ length: count }, (_, n) => FIELDS.map((field) => `results/${result}/value/${n}/${field}`)).flat(),
  );
}

/** Messages of a session whose transcript has these entries: their ids, in order. */
function chain(name: string, content: Entries, shown: readonly number[], stated: Stated = {}): Look<PureProgram> {
  return pureLook(`messages: ${name}`, [messages()], {
    files: [transcript(content)],
    at: fieldsOf(shown.length),
    both: value(shown.map((n) => ({ uuid: uuid(n) }))),
    ...stated,
  });
}

const change = (name: string, calls: readonly PureCall[], stated: Stated = {}): Look<PureProgram> =>
  pureLook(name, calls, { files: [transcript(TURN)], shows: ['config'], ...stated });

const many = (count: number): readonly FileSpec[] =>
  Array.from({ length: count }, (_, index) =>
    transcript([user(1, null, `prompt ${index}`)], {
      id: sessionId(index),
      mtime: 1_770_000_000 + ((index * 7) % count),
    }),
  );

const toolCall = (n: number, parent: number, id: string): JsonRecord =>
  other('assistant', n, parent, {
    message: { id: 'msg', role: 'assistant', content: [{ type: 'tool_use', id, name: 'Read' }] },
  });
const toolResult = (n: number, parent: number, id: string): JsonRecord =>
  user(n, parent, [{ type: 'tool_result', tool_use_id: id, content: 'x' }]);

export const sessionRows: readonly SessionRow[] = [
  {
    id: 'PY-276',
    what: '`CLAUDE_CONFIG_DIR/projects` is looked into; without the variable `~/.claude/projects`.',
    looks: [
      pureLook('configuration folder', [list()], {
        files: [
          transcript([HI]),
          { path: 'home/.claude/projects/-h/cccccccc-cccc-4ccc-8ccc-cccccccccccc.jsonl', content: [HI] },
        ],
        both: { results: [ids(SESSION)] },
      }),
      pureLook('the home’s folder', [list()], {
        files: [
          transcript([HI]),
          { path: 'home/.claude/projects/-h/cccccccc-cccc-4ccc-8ccc-cccccccccccc.jsonl', content: [HI] },
        ],
        environment: { CLAUDE_CONFIG_DIR: '' },
        both: { results: [ids('cccccccc-cccc-4ccc-8ccc-cccccccccccc')] },
      }),
    ],
  },
  {
    id: 'PY-277',
    what: 'A project folder is named for the real path, every character that is no letter or digit being `-`.',
    looks: [
      pureLook(
        'project keys',
        ['/no/such/dir', '/a.b/c_d e', '/a/é/ü', '/ÄÖ-1'].map((dir) => ({ op: 'key', dir })),
        { both: { results: ['-no-such-dir', '-a-b-c-d-e', '-a----', '----1'] } },
      ),
      pureLook('project key of a link', [{ op: 'key', dir: '<root>/work/link' }], {
        files: [
          { path: 'work/real/x', content: '' },
          { path: 'work/link', linkTo: '<root>/work/real' },
        ],
        both: { results: ['<root-key>-work-real'] },
      }),
      pureLook('project key of an astral character', [{ op: 'key', dir: '/a/😀b' }], {
        python: { results: ['-a--b'] },
        ours: { results: ['-a---b'] },
        differs: [
          differs(
            'python-defect',
            'D-91',
            'results/0',
            'Lengths are UTF-16 units, as in the CLI itself, which writes the folder: Python counts code points and would not find it.',
          ),
        ],
      }),
    ],
  },
  {
    id: 'PY-278',
    what: 'A name over 200 characters is cut and ends in a hash; another hash on disk is found by the first 200.',
    looks: [
      pureLook(
        'long project keys',
        [`/${'a'.repeat(199)}`, `/${'a'.repeat(200)}`, `/${'b/'.repeat(150)}`].map((dir) => ({ op: 'key', dir })),
        { both: { results: ['/^-a{199}$/', '/^-a{199}-[0-9a-z]+$/', '/^-(b-){99}b-[0-9a-z]+$/'] } },
      ),
      pureLook('long folder with another hash', [list({ dir: `/${'a'.repeat(230)}` })], {
        files: [
          transcript([user(1, null, 'hi', { cwd: `/${'a'.repeat(230)}` })], {
            project: `-${'a'.repeat(199)}-otherhash`,
          }),
        ],
        both: { results: [ids(SESSION)] },
      }),
    ],
  },
  {
    id: 'PY-279',
    what: 'Sessions are listed newest first; `offset` and then `limit` count in the sorted list.',
    looks: [
      pureLook(
        'sorted pages',
        [list(), list({ limit: 2 }), list({ offset: 3 }), list({ offset: 1, limit: 2 }), list({ offset: 9 })],
        {
          files: many(5),
          both: {
            results: [
              ids(sessionId(2), sessionId(4), sessionId(1), sessionId(3), sessionId(0)),
              ids(sessionId(2), sessionId(4)),
              ids(sessionId(3), sessionId(0)),
              ids(sessionId(4), sessionId(1)),
              ids(),
            ],
          },
        },
      ),
    ],
  },
  {
    id: 'PY-280',
    what: 'A `limit` of 0 or below means all.',
    looks: [
      pureLook('limits', [list({ limit: 0 }), list({ limit: -1 }), list({ offset: -2 })], {
        files: many(3),
        both: { results: Array.from({ length: 3 }, () => ids(sessionId(2), sessionId(1), sessionId(0))) },
      }),
    ],
  },
  {
    id: 'PY-281',
    what: 'Of one id in two folders only the newest is listed.',
    looks: [
      pureLook('the same id twice', [list()], {
        files: [
          transcript([user(1, null, 'old')], { project: '-a', mtime: 1_770_000_000 }),
          transcript([user(1, null, 'new')], { project: '-b', mtime: 1_770_000_500 }),
        ],
        both: { results: [{ value: [{ sessionId: SESSION, summary: 'new' }] }] },
      }),
    ],
  },
  {
    id: 'PY-282',
    what: 'Files of other names, empty files, sidechains and sessions in which nothing was said are not listed.',
    looks: [
      pureLook('what is not listed', [list()], {
        files: [
          transcript([HI]),
          transcript([HI], { id: 'not-a-uuid' }),
          { path: `config/projects/-w/${OTHER}.txt`, content: [HI] },
          transcript('', { id: sessionId(1) }),
          transcript([user(1, null, 'hi', { isSidechain: true })], { id: sessionId(2) }),
          transcript([assistant(1, null, 'a')], { id: sessionId(3) }),
        ],
        both: { results: [ids(SESSION)] },
      }),
    ],
  },
  {
    id: 'PY-283',
    what: '`summary` is the given title, the generated one, the last prompt, the summary or the first prompt, in that order.',
    looks: [
      pureLook(
        'summaries',
        [0, 1, 2, 3, 4].map((n) => info(sessionId(n))),
        {
          files: [
            [],
            [{ type: 'summary', summary: 'S' }],
            [
              { type: 'summary', summary: 'S' },
              { type: 'last-prompt', lastPrompt: 'LP' },
            ],
            [
              { type: 'last-prompt', lastPrompt: 'LP' },
              { type: 'ai-title', aiTitle: 'AI' },
            ],
            [title('T'), { type: 'ai-title', aiTitle: 'AI' }],
          ].map((more, n) => transcript([HI, ...more] as Json[], { id: sessionId(n) })),
          both: value(
            { summary: 'hi', customTitle: '$absent', firstPrompt: 'hi' },
            { summary: 'S' },
            { summary: 'LP' },
            { summary: 'AI', customTitle: 'AI' },
            { summary: 'T', customTitle: 'T' },
          ),
        },
      ),
      rowOf('two titles, the last one wins', [HI, title('A'), title('B')], { value: { summary: 'B' } }),
      rowOf('a title taken back', [HI, title('A'), title('')], { value: { summary: 'hi' } }),
      pureLook('row: a title in a line of another type', [info()], {
        files: [transcript([HI, { type: 'mode', customTitle: 'no' }])],
        at: ['results/0/value/sessionId'],
        python: { results: [{ value: { summary: 'no' } }] },
        ours: { results: [{ value: { summary: 'hi', customTitle: '$absent' } }] },
        differs: [
          differs(
            'official-ts',
            'TS-182',
            'results/0/value/summary',
            'A title counts in an entry that gives one; Python takes it from any line.',
          ),
          differs(
            'official-ts',
            'TS-182',
            'results/0/value/customTitle',
            'A title counts in an entry that gives one; Python takes it from any line.',
          ),
        ],
      }),
    ],
  },
  {
    id: 'PY-284',
    what: 'A first prompt over 200 characters is cut there and gets `…`.',
    looks: [
      rowOf('a long prompt', [user(1, null, 'x'.repeat(250))], { value: { firstPrompt: `${'x'.repeat(200)}…` } }),
      rowOf('exactly 200 characters', [user(1, null, 'x'.repeat(200))], { value: { firstPrompt: 'x'.repeat(200) } }),
      rowOf('a space at the cut', [user(1, null, `${'x'.repeat(199)} ${'y'.repeat(60)}`)], {
        value: { firstPrompt: `${'x'.repeat(199)}…` },
      }),
      rowOf('newlines in a prompt', [user(1, null, ' a\n\n b\r\nc\t d ')], { value: {} }),
      pureLook('row: characters of two units', [info()], {
        files: [transcript([user(1, null, '😀'.repeat(120))])],
        at: ['results/0/value/sessionId'],
        python: { results: [{ value: { firstPrompt: '/^(?:😀){120}$/u' } }] },
        ours: { results: [{ value: { firstPrompt: '/^(?:😀){100}…$/u', summary: '/^(?:😀){100}…$/u' } }] },
        differs: [
          differs(
            'python-defect',
            'D-91',
            'results/0/value/summary',
            'Lengths are UTF-16 units, as in the CLI: Python counts code points.',
          ),
          differs(
            'python-defect',
            'D-91',
            'results/0/value/firstPrompt',
            'Lengths are UTF-16 units, as in the CLI: Python counts code points.',
          ),
        ],
      }),
    ],
  },
  {
    id: 'PY-285',
    what: 'When there are only slash commands, the command’s name is the first prompt; other texts nobody typed are skipped.',
    looks: [
      rowOf('a command only', [user(1, null, '<command-name>/foo</command-name>')], {
        value: { firstPrompt: '/foo', summary: '/foo' },
      }),
      rowOf('a command, then a prompt', [user(1, null, '<command-name>/foo</command-name>'), user(2, 1, 'second')], {
        value: { firstPrompt: 'second' },
      }),
      ...[
        '<local-command-stdout>x</local-command-stdout>',
        '<session-start-hook>x',
        '<tick>1',
        '<goal>x',
        '[Request interrupted by user]',
        '<ide_selection>x</ide_selection>',
        '<ide_opened_file>x</ide_opened_file>',
        '   ',
      ].map((text) =>
        rowOf(`skipped: ${text.trim()}`, [user(1, null, text), user(2, 1, 'second')], {
          value: { firstPrompt: 'second' },
        }),
      ),
      rowOf(
        'a tool result, a meta entry, a compaction',
        [
          user(1, null, [{ type: 'tool_result', tool_use_id: 't', content: 'x' }]),
          user(2, 1, 'm', { isMeta: true }),
          user(3, 2, 's', { isCompactSummary: true }),
          user(4, 3, [{ type: 'image' }, { type: 'text', text: 'second' }]),
        ],
        { value: { firstPrompt: 'second' } },
      ),
      pureLook('row: a shell command', [info()], {
        files: [transcript([user(1, null, '<bash-input> ls </bash-input>')])],
        at: ['results/0/value/sessionId'],
        python: { results: [{ value: { firstPrompt: '<bash-input> ls </bash-input>' } }] },
        ours: { results: [{ value: { firstPrompt: '! ls', summary: '! ls' } }] },
        differs: [
          differs('official-ts', 'TS-182', 'results/0/value/summary', 'A shell command is shown as it was typed.'),
          differs('official-ts', 'TS-182', 'results/0/value/firstPrompt', 'A shell command is shown as it was typed.'),
        ],
      }),
      pureLook('row: another tag', [info()], {
        files: [transcript([user(1, null, '<foo a="1">x'), user(2, 1, 'second')])],
        at: ['results/0/value/sessionId'],
        python: { results: [{ value: { firstPrompt: '<foo a="1">x' } }] },
        ours: { results: [{ value: { firstPrompt: 'second', summary: 'second' } }] },
        differs: [
          differs(
            'official-ts',
            'TS-182',
            'results/0/value/summary',
            'Whatever tag a text begins with, nobody typed it; Python knows some tags by name.',
          ),
          differs(
            'official-ts',
            'TS-182',
            'results/0/value/firstPrompt',
            'Whatever tag a text begins with, nobody typed it; Python knows some tags by name.',
          ),
        ],
      }),
    ],
  },
  {
    id: 'PY-286',
    what: 'The last tag line counts, an empty one clears; a `tag` inside a tool’s input does not count.',
    looks: [
      rowOf('two tags', [HI, tag('a'), tag('b')], { value: { tag: 'b' } }),
      rowOf('a tag taken back', [HI, tag('a'), tag('')], { value: { tag: '$absent' } }),
      rowOf(
        'a tag in a tool’s input',
        [
          HI,
          tag('a'),
          other('assistant', 2, 1, {
            message: { content: [{ type: 'tool_use', id: 't', name: 'X', input: { tag: 'no' } }] },
          }),
        ],
        { value: { tag: 'a' } },
      ),
      pureLook('row: a tag line with other keys first', [info()], {
        files: [transcript([HI, { sessionId: SESSION, type: 'tag', tag: 'a' }])],
        at: ['results/0/value/sessionId'],
        python: { results: [{ value: { tag: '$absent' } }] },
        ours: { results: [{ value: { tag: 'a' } }] },
        differs: [
          differs(
            'official-ts',
            'TS-182',
            'results/0/value/tag',
            'The entry is read as JSON; Python looks for the text that it writes itself.',
          ),
        ],
      }),
    ],
  },
  {
    id: 'PY-287',
    what: '`createdAt` is the first timestamp in epoch milliseconds, also when the first line has none; unset when it is none.',
    looks: [
      rowOf('a timestamp', [HI], { value: { createdAt: 1_767_225_601_000 } }),
      rowOf('a first line without a timestamp', [{ type: 'mode' }, HI], { value: { createdAt: 1_767_225_601_000 } }),
      rowOf('a timestamp that is none', [{ ...HI, timestamp: 'nope' }], { value: { createdAt: '$absent' } }),
      rowOf('a timestamp of another zone', [{ ...HI, timestamp: '2026-01-01T02:00:01+02:00' }], {
        value: { createdAt: 1_767_225_601_000 },
      }),
    ],
  },
  {
    id: 'PY-288',
    what: 'Sessions of a repository’s other working trees are listed, unless `include_worktrees` is false.',
    looks: [
      pureLook(
        'working trees',
        [
          { op: 'session', function: 'listSessions', args: { dir: '<root>/work/repo' } },
          list({ dir: '<root>/work/repo', includeWorktrees: false }),
          list({ dir: '<root>/work/tree' }),
        ],
        {
          worktrees: [['work/repo', 'work/tree']],
          files: [
            transcript([HI], { id: sessionId(1), project: '<root-key>-work-repo', mtime: 1_770_000_003 }),
            transcript([HI], { id: sessionId(2), project: '<root-key>-work-tree', mtime: 1_770_000_002 }),
            transcript([HI], { id: sessionId(3), project: '-elsewhere', mtime: 1_770_000_001 }),
          ],
          both: { results: [ids(sessionId(1), sessionId(2)), ids(sessionId(1)), ids(sessionId(1), sessionId(2))] },
        },
      ),
    ],
  },
  {
    id: 'PY-289',
    what: '`get_session_info` gives nothing for an unknown id, one that is no UUID, or a sidechain.',
    looks: [
      pureLook('no row', [info(), info(OTHER), info('nope'), info(sessionId(2)), info('../x')], {
        files: [transcript([HI]), transcript([user(1, null, 'hi', { isSidechain: true })], { id: sessionId(2) })],
        both: {
          results: [
            { value: { sessionId: SESSION } },
            { value: null },
            { value: null },
            { value: null },
            { value: null },
          ],
        },
      }),
    ],
  },
  {
    id: 'PY-290',
    what: 'Messages are those of the branch that ends last in the file, from its root on.',
    looks: [
      chain('one branch', TURN, [1, 2, 3, 4]),
      chain('one branch, all fields', [HI], [1], {
        at: ['results'],
        differs: [
          differs(
            'official-ts',
            'TS-182',
            'results/0/value/0/timestamp',
            'A message has its time too, and marks of meta entries and compactions, as those of the TypeScript SDK have.',
            '2026-01-01T00:00:01.000Z',
          ),
        ],
      }),
      chain('the later branch', [HI, assistant(2, 1, 'old'), user(3, 1, 'new'), assistant(4, 3, 'c')], [1, 3, 4]),
      chain(
        'the older branch goes on',
        [HI, assistant(2, 1, 'x'), user(3, 2, 'a'), user(4, 2, 'b'), assistant(5, 3, 'c')],
        [1, 2, 3, 5],
      ),
      chain(
        'progress and attachments between',
        [
          HI,
          other('progress', 2, 1),
          assistant(3, 2, 'x'),
          other('attachment', 4, 3, { attachment: { type: 'date' } }),
          user(5, 4, 'y'),
        ],
        [1, 3, 5],
      ),
      pureLook(
        'pages of messages',
        [messages({ limit: 2 }), messages({ offset: 1, limit: 2 }), messages({ offset: 3 }), messages({ limit: 0 })],
        {
          files: [transcript(TURN)],
          at: fieldsOf(2, 2, 1, 4),
          both: value(
            [{ uuid: uuid(1) }, { uuid: uuid(2) }],
            [{ uuid: uuid(2) }, { uuid: uuid(3) }],
            [{ uuid: uuid(4) }],
            [{ uuid: uuid(1) }, { uuid: uuid(2) }, { uuid: uuid(3) }, { uuid: uuid(4) }],
          ),
        },
      ),
      pureLook(
        'no messages',
        [call('getSessionMessages', { sessionId: OTHER }), call('getSessionMessages', { sessionId: 'nope' })],
        { files: [transcript(TURN)], both: value([], []) },
      ),
      pureLook('messages: parallel tools', [messages()], {
        files: [
          transcript([
            HI,
            toolCall(2, 1, 'a'),
            toolCall(3, 2, 'b'),
            toolResult(4, 2, 'a'),
            toolResult(5, 3, 'b'),
            assistant(6, 5, 'd'),
          ]),
        ],
        at: ['results/0/value/3/uuid'],
        python: value([1, 2, 3, 4, 5, 6].map((number) => ({ uuid: uuid(number) }))),
        ours: value([1, 2, 3, 4, 5, 6].map((number) => ({ uuid: uuid(number) }))),
        before: {
          python: value([1, 2, 3, 5, 6].map((number) => ({ uuid: uuid(number) }))),
          differs: [
            differs(
              'official-ts',
              'TS-182',
              'results/0/value/3/uuid',
              'Results of calls that were made in parallel are all shown, as by the newer release; the older one follows one of them.',
            ),
          ],
        },
      }),
    ],
  },
  {
    id: 'PY-291',
    what: 'Meta entries, sidechains and teammates are left out; compact summaries stay.',
    looks: [
      chain('meta in between', [HI, user(2, 1, 'm', { isMeta: true }), assistant(3, 2, 'x')], [1, 3]),
      chain('meta last', [HI, assistant(2, 1, 'x'), user(3, 2, 'm', { isMeta: true })], [1, 2]),
      chain('a sidechain last', [HI, assistant(2, 1, 'x'), assistant(3, 2, 's', { isSidechain: true })], [1, 2]),
      chain('a teammate last', [HI, assistant(2, 1, 'x'), assistant(3, 2, 's', { teamName: 't' })], [1, 2]),
      chain(
        'a compaction',
        [
          HI,
          assistant(2, 1, 'x'),
          other('system', 3, null, { subtype: 'compact_boundary', logicalParentUuid: uuid(2), content: 'c' }),
          user(4, 3, 'summary', { isCompactSummary: true }),
          user(5, 4, 'b'),
        ],
        [4, 5],
      ),
      pureLook('messages: messages that a compaction kept', [messages()], {
        files: [
          transcript([
            ...TURN,
            other('system', 5, null, {
              subtype: 'compact_boundary',
              content: 'c',
              compactMetadata: { preservedSegment: { headUuid: uuid(3), anchorUuid: uuid(6), tailUuid: uuid(4) } },
            }),
            user(6, 5, 'summary', { isCompactSummary: true }),
            user(7, 6, 'b'),
          ]),
        ],
        at: [],
        python: value([{ uuid: uuid(6) }, { uuid: uuid(7) }]),
        ours: value([{ uuid: uuid(6) }, { uuid: uuid(3) }, { uuid: uuid(4) }, { uuid: uuid(7) }]),
        differs: [
          differs(
            'official-ts',
            'TS-182',
            'results/0/value',
            'What a compaction kept stands behind its summary, as the CLI goes on with it.',
          ),
        ],
      }),
    ],
  },
  {
    id: 'PY-292',
    what: 'A cycle of parents ends.',
    looks: [
      chain('a cycle above', [user(1, 2, 'hi'), assistant(2, 1, 'x'), user(3, 2, 'q')], [1, 2, 3]),
      pureLook('messages: nothing but a cycle', [messages()], {
        files: [transcript([user(1, 2, 'hi'), assistant(2, 1, 'x')])],
        both: { results: [{ value: [] }] },
      }),
    ],
  },
  {
    id: 'PY-293',
    what: 'Corrupt lines are skipped.',
    looks: [
      chain(
        'broken lines',
        [HI, 'nope', '{"type":"assistant","uuid":"cut', assistant(2, 1, 'x'), '[]', 'null', '7', ''],
        [1, 2],
      ),
    ],
  },
  {
    id: 'PY-294',
    what: 'Subagents in nested folders are found; their messages carry the parents’ ids from the sidecar.',
    looks: [
      pureLook(
        'subagents',
        [
          { op: 'session', function: 'listSubagents', args: { sessionId: SESSION } },
          call('getSubagentMessages', { sessionId: SESSION, agentId: 'a' }),
          call('getSubagentMessages', { sessionId: SESSION, agentId: 'c' }),
          call('getSubagentMessages', { sessionId: SESSION, agentId: 'none' }),
          call('getSubagentMessages', { sessionId: SESSION, agentId: 'a', offset: 1, limit: 1 }),
          call('listSubagents', { sessionId: OTHER }),
        ],
        {
          files: [
            transcript(TURN),
            {
              path: `config/projects/-w/${SESSION}/subagents/agent-a.jsonl`,
              content: [user(11, null, 'task', { isSidechain: true }), assistant(12, 11, 'x', { isSidechain: true })],
            },
            {
              path: `config/projects/-w/${SESSION}/subagents/agent-a.meta.json`,
              content: '{"toolUseId":"toolu_1","parentAgentId":"p","agentType":"x"}',
            },
            {
              path: `config/projects/-w/${SESSION}/subagents/workflows/run-1/agent-c.jsonl`,
              content: [user(21, null, 'task', { isSidechain: true })],
            },
            { path: `config/projects/-w/${SESSION}/subagents/workflows/run-1/agent-c.meta.json`, content: 'nope' },
          ],
          at: ['results/0', ...fieldsOf(0, 2, 1, 0, 1), 'results/3', 'results/5'],
          both: value(
            ['a', 'c'],
            [
              { uuid: uuid(11), parentToolUseId: 'toolu_1', parentAgentId: 'p' },
              { uuid: uuid(12), parentToolUseId: 'toolu_1', parentAgentId: 'p' },
            ],
            [{ uuid: uuid(21), parentToolUseId: '$absent', parentAgentId: '$absent' }],
            [],
            [{ uuid: uuid(12) }],
            [],
          ),
        },
      ),
    ],
  },
  {
    id: 'PY-295',
    what: 'A rename appends one line with the trimmed title, which wins in listings.',
    looks: [
      change('rename', [call('renameSession', { sessionId: SESSION, title: '  T "x ' }), info()], {
        both: { results: ['$any', { value: { customTitle: 'T "x', summary: 'T "x' } }] },
      }),
    ],
  },
  {
    id: 'PY-296',
    what: 'A blank title, or a tag of which nothing is left, is a value error.',
    looks: [
      change(
        'blank titles and tags',
        [
          ...['', '  ', '\n\t'].map((text) => call('renameSession', { sessionId: SESSION, title: text })),
          ...['', ' ', '\u200b', '\ue000'].map((text) => call('tagSession', { sessionId: SESSION, tag: text })),
        ],
        { both: { results: Array.from({ length: 7 }, () => ({ error: 'value' })) } },
      ),
    ],
  },
  {
    id: 'PY-297',
    what: 'A bad id is a value error, an unknown session a not-found error.',
    looks: [
      change(
        'ids of changes',
        ['nope', OTHER].flatMap((id) => [
          call('renameSession', { sessionId: id, title: 'T' }),
          call('tagSession', { sessionId: id, tag: 't' }),
          call('deleteSession', { sessionId: id }),
          call('forkSession', { sessionId: id }),
        ]),
        {
          both: {
            results: [
              ...Array.from({ length: 4 }, () => ({ error: 'value' })),
              ...Array.from({ length: 4 }, () => ({ error: 'not-found' })),
            ],
          },
        },
      ),
    ],
  },
  {
    id: 'PY-298',
    what: 'An empty file of the same name in one folder does not stand for the session in another.',
    looks: [
      pureLook('an empty stub', [call('renameSession', { sessionId: SESSION, title: 'T' })], {
        files: [transcript('', { project: '-a' }), transcript([HI], { project: '-b' })],
        shows: ['config'],
        both: {
          files: [
            { path: `config/projects/-a/${SESSION}.jsonl`, lines: [] },
            { path: `config/projects/-b/${SESSION}.jsonl`, lines: [{ type: 'user' }, { customTitle: 'T' }] },
          ],
        },
      }),
    ],
  },
  {
    id: 'PY-299',
    what: 'Tagging with none appends an empty tag line, and the tag reads as unset.',
    looks: [
      change(
        'tags',
        [
          call('tagSession', { sessionId: SESSION, tag: ' t ' }),
          info(),
          call('tagSession', { sessionId: SESSION, tag: null }),
          info(),
        ],
        {
          both: {
            results: ['$any', { value: { tag: 't' } }, '$any', { value: { tag: '$absent' } }],
            files: [{ lines: ['$any', '$any', '$any', '$any', { tag: 't' }, { tag: '' }] }],
          },
        },
      ),
    ],
  },
  {
    id: 'PY-300',
    what: 'Invisible, directional and private-use characters are removed from a tag, after NFKC.',
    looks: [
      change(
        'tags that are cleaned',
        [
          'a\u00adb',
          'a\u202eb',
          'a\ufeffb',
          '\ue000x',
          '\u{e0041}x',
          'x\u0378',
          'a\u200bb',
          '\ufb01',
          '\uff21',
          'e\u0301',
          '👨\u200d👩',
          'x\u{f0000}',
          '\u2060x',
          '\u2066x\u2069',
        ].map((text) => call('tagSession', { sessionId: SESSION, tag: text })),
        {
          both: {
            files: [
              {
                lines: [
                  ...Array.from({ length: 4 }, () => '$any'),
                  ...['ab', 'ab', 'ab', 'x', 'x', 'x', 'ab', 'fi', 'A', 'é', '👨👩', 'x', 'x', 'x'].map(
                    (text): Json => ({ type: 'tag', tag: text }),
                  ),
                ],
              },
            ],
          },
        },
      ),
    ],
  },
  {
    id: 'PY-301',
    what: 'Deleting removes the transcript and the session’s folder.',
    looks: [
      change('delete', [call('deleteSession', { sessionId: SESSION }), info()], {
        files: [
          transcript(TURN),
          { path: `config/projects/-w/${SESSION}/subagents/agent-a.jsonl`, content: [HI] },
          transcript([HI], { id: OTHER }),
        ],
        both: { results: ['$any', { value: null }], files: [{ path: `config/projects/-w/${OTHER}.jsonl` }] },
      }),
    ],
  },
  {
    id: 'PY-302',
    what: 'A fork is a new file (0600) with new ids, the same links, `forkedFrom`, and without the names of a team.',
    looks: [
      fork('a fork', {
        source: [
          user(1, null, 'hi', { teamName: 't', agentName: 'a', slug: 's', sourceToolAssistantUUID: 'u' }),
          other('progress', 2, 1),
          assistant(3, 2, 'x'),
          assistant(4, 3, 's', { isSidechain: true }),
          user(5, 3, 'b'),
          { type: 'content-replacement', sessionId: SESSION, replacements: [{ kind: 'x' }] },
        ],
        lines: [
          {
            type: 'user',
            uuid: '<id 2>',
            parentUuid: null,
            sessionId: '<id 1>',
            forkedFrom: { sessionId: SESSION, messageUuid: uuid(1) },
            teamName: '$absent',
            agentName: '$absent',
            slug: '$absent',
            sourceToolAssistantUUID: '$absent',
          },
          { type: 'assistant', uuid: '<id 3>', parentUuid: '<id 2>' },
          { type: 'user', uuid: '<id 4>', parentUuid: '<id 3>', timestamp: '<time>' },
          { type: 'content-replacement', sessionId: '<id 1>' },
          { type: 'custom-title', customTitle: 'hi (fork)', sessionId: '<id 1>' },
        ],
      }),
    ],
  },
  {
    id: 'PY-303',
    what: '`up_to_message_id` ends the fork there; an unknown id is a value error.',
    looks: [
      fork('a fork up to a message', {
        source: TURN,
        args: { upToMessageId: uuid(2) },
        lines: [{ type: 'user' }, { type: 'assistant' }, { customTitle: 'hi (fork)' }],
      }),
      change(
        'a fork up to an unknown message',
        [call('forkSession', { sessionId: SESSION, upToMessageId: uuid(99) })],
        { both: { results: [{ error: 'value' }] } },
      ),
    ],
  },
  {
    id: 'PY-304',
    what: 'A fork’s title is the given one, else the derived one and ` (fork)`.',
    looks: (
      [
        ['a fork with a title', [], { title: ' Mine ' }, 'Mine'],
        ['a fork of a session with a title', [title('T')], {}, 'T (fork)'],
        ['a fork of a session with a generated title', [{ type: 'ai-title', aiTitle: 'AI' }], {}, 'AI (fork)'],
      ] as const
    ).map(([name, more, args, customTitle]) =>
      fork(name, {
        source: [HI, assistant(2, 1, 'x'), ...more],
        args,
        lines: [{ type: 'user' }, { type: 'assistant' }, { type: 'custom-title', customTitle }],
      }),
    ),
  },
  {
    id: 'PY-305',
    what: 'A message with a raw U+2028 in its text survives a fork.',
    looks: [
      change('a fork with a line separator', [call('forkSession', { sessionId: SESSION })], {
        files: [transcript([HI, assistant(2, 1, 'a\u2028b'), user(3, 2, 'c')])],
        python: {
          files: [
            { lines: [{ type: 'user' }, { type: 'user', parentUuid: null }, '$any'] },
            { lines: ['$any', '$any', '$any'] },
          ],
        },
        ours: {
          files: [
            {
              lines: [
                { type: 'user', uuid: '<id 2>' },
                { uuid: '<id 3>', parentUuid: '<id 2>', message: { content: [{ text: 'a\u2028b' }] } },
                { type: 'user', parentUuid: '<id 3>' },
                '$any',
              ],
            },
            { lines: ['$any', '$any', '$any'] },
          ],
        },
        differs: [
          differs(
            'python-defect',
            'D5',
            'files/0/lines',
            'Lines end at a newline only: Python splits at every Unicode line separator, loses the message and cuts the chain there.',
          ),
        ],
      }),
    ],
  },
];

/** A fork, and the lines of its file. */
function fork(
  name: string,
  {
    source,
    args = {},
    lines,
  }: { readonly source: readonly Json[]; readonly args?: JsonRecord; readonly lines: readonly Json[] },
): Look<PureProgram> {
  const linesOf = (type: string): readonly number[] =>
    lines.flatMap((line, at) => ((line as JsonRecord).type === type ? [at] : []));
  return change(name, [call('forkSession', { sessionId: SESSION, ...args })], {
    files: [transcript(source)],
    both: {
      results: [{ value: { sessionId: '<id 1>' } }],
      files: [
        { path: 'config/projects/-w/<id 1>.jsonl', mode: '600', lines },
        { path: `config/projects/-w/${SESSION}.jsonl` },
      ],
    },
    differs: [
      ...[...linesOf('user'), ...linesOf('assistant')].map((at) =>
        differs(
          'official-ts',
          'TS-183',
          `files/0/lines/${at}/logicalParentUuid`,
          'Written only where the source has it; Python always writes the key.',
          '$absent',
        ),
      ),
      ...linesOf('assistant').map((at) =>
        differs(
          'official-ts',
          'TS-183',
          `files/0/lines/${at}/requestSessionId`,
          'An answer names the session in which it was asked for, so that the CLI can resume the fork as the TypeScript SDK’s.',
          SESSION,
        ),
      ),
    ],
  });
}
