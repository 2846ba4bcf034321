/** Transcripts that were written for one thing each. */
import * as e from './entries.mjs';

const { user, assistant, attachment, boundary, progress, result, call, summary, system, uuid } = e;
const hi = user(1, null, 'hi');
const title = (customTitle) => ({ type: 'custom-title', customTitle, sessionId: e.SESSION });
const ai = (aiTitle) => ({ type: 'ai-title', aiTitle });
const last = (lastPrompt) => ({ type: 'last-prompt', lastPrompt });
const tag = (text) => ({ type: 'tag', tag: text, sessionId: e.SESSION });
/** A prompt that was sent, with an id, while a turn ran. */
const sent = (n, parent, id) =>
  attachment(n, parent, {
    attachment: { type: 'queued_command', prompt: 'b', commandMode: 'prompt', source_uuid: uuid(id) },
  });
const fill = (n) => assistant(n, 1, 'y'.repeat(70_000));
const plain = '{"type":"user","message":{"role":"user","content":"hi"}}';

/** What a row says. A string is the file as it is. */
export const rows = {
  plain: [hi],
  'two titles': [hi, title('A'), title('B')],
  'a title taken back': [hi, title('A'), title('')],
  'a generated title': [hi, ai('AI')],
  'a given title and a later generated one': [hi, title('A'), ai('AI')],
  'last prompt before summary': [hi, last('LP'), { type: 'summary', summary: 'S' }],
  'an empty last prompt': [hi, last('LP'), last('')],
  summary: [hi, { type: 'summary', summary: 'S', leafUuid: uuid(1) }],
  'nothing said': [assistant(1, null, 'a')],
  'a title only': [title('T')],
  'a title in a line of another type': [hi, { type: 'mode', customTitle: 'no', aiTitle: 'no' }],
  'last prompt in a line of another type': [hi, { type: 'mode', lastPrompt: 'LP' }],
  'title with a space after the colon': `${plain}\n{"type": "custom-title", "customTitle": "SP"}\n`,
  'escapes in a title': [hi, title('a"b\\c\ndé😀\u2028')],
  'a title that is a number': [hi, title(5)],
  'title far back': [hi, title('T'), fill(2), fill(3)],
  'title in the middle': [hi, fill(2), title('T'), fill(3)],
  'title far back, empty one at the end': [hi, title('T'), fill(2), fill(3), title('')],
  'last prompt far back': [hi, last('LP'), fill(2), fill(3)],
  'a long first line': [user(1, null, 'y'.repeat(70_000)), assistant(2, 1, 'z')],
  'two tags': [hi, tag('a'), tag('b')],
  'a tag taken back': [hi, tag('a'), tag('')],
  'tag far back': [hi, tag('a'), fill(2), fill(3)],
  'tag with other keys first': [hi, { sessionId: e.SESSION, type: 'tag', tag: 'a' }],
  'CR LF': `${plain}\r\n{"type":"custom-title","customTitle":"cr"}\r\n`,
  BOM: `\ufeff${plain}\n`,
  'no newline at the end': plain,
  'a cut last line': `${plain}\n{"type":"custom-title","customTitle":"cu`,
  'not JSON': `${plain}\nnope\n[1]\nnull\n5\n`,
  sidechain: [user(1, null, 'hi', { isSidechain: true })],
  'sidechain with a space': '{"type":"user","isSidechain": true,"message":{"content":"hi"}}\n',
  'sidechain later': [{ type: 'mode' }, user(1, null, 'hi', { isSidechain: true })],
  'empty first line': `\n${plain}\n`,
  'two branches': [{ ...hi, gitBranch: 'a' }, assistant(2, 1, 'x', { gitBranch: 'b' })],
  'empty branch last': [{ ...hi, gitBranch: 'a' }, assistant(2, 1, 'x', { gitBranch: '' })],
  'branch far back': [{ ...hi, gitBranch: 'a' }, fill(2), fill(3)],
  'two directories': [{ ...hi, cwd: '/a' }, assistant(2, 1, 'x', { cwd: '/b' })],
  'no directory': [{ ...hi, cwd: undefined }],
  'first line without a time': [{ type: 'x' }, hi],
  'a bad time': [{ type: 'x', timestamp: 'nope' }, hi],
  'a date': [{ ...hi, timestamp: '2020-01-01' }],
  'broken UTF-8': Buffer.concat([
    Buffer.from('{"type":"user","message":{"content":"a'),
    Buffer.from([0xff, 0xfe]),
    Buffer.from('b"}}\n'),
  ]),
  'a character cut by the edge': `${plain}\n{"z":"${'é'.repeat(60_000)}"}\n{"type":"tag","tag":"é"}\n`,
  ...Object.fromEntries(
    [
      'x'.repeat(250),
      `${'x'.repeat(199)} ${'y'.repeat(60)}`,
      `a${'😀'.repeat(120)}`,
      ' a\n\n b\r\nc\t d ',
      '   ',
      '<command-name>/foo</command-name>',
      '<command-message>foo</command-message>\n<command-name>/foo</command-name>',
      'x <command-name>/foo</command-name>',
      '<local-command-stdout>x</local-command-stdout>',
      '<session-start-hook>x',
      '<tick>1',
      '[Request interrupted by user]',
      '[Request interrupted by user for tool use] x',
      '[Request interrupted by user',
      '<ide_selection>x</ide_selection>',
      '<bash-input> ls\n-l </bash-input> more',
      `<bash-input>${'l'.repeat(300)}</bash-input>`,
      '<foo a="1">x',
      '<Foo>x',
      '<foo:bar>x',
      '<foo',
      '< 5',
      'Caveat: The messages below',
    ].map((text) => [`prompt ${JSON.stringify(text).slice(0, 40)}`, [user(1, null, text), user(2, 1, 'second')]]),
  ),
  'commands only': [user(1, null, '<command-name>/a</command-name>'), user(2, 1, '<b>c</b>')],
  'blocks of text': [user(1, null, [{ type: 'image' }, { type: 'text', text: 'a' }])],
  'a tool result first': [result(1, null, 't'), user(2, 1, 'second')],
  'meta first': [user(1, null, 'm', { isMeta: true }), user(2, 1, 'second')],
  'compaction first': [summary(1, null), user(2, 1, 'second')],
  ...Object.fromEntries(
    ['sdk-ts', 'sdk-cli', 'sdk-py', 'cli', 'claude-vscode'].map((entrypoint) => [
      `entrypoint ${entrypoint}`,
      [user(1, null, 'hi', { entrypoint })],
    ]),
  ),
  daemon: [user(1, null, 'hi', { sessionKind: 'daemon' })],
  'daemon-worker': [{ type: 'x' }, user(1, null, 'hi', { sessionKind: 'daemon-worker' })],
  'another kind': [user(1, null, 'hi', { sessionKind: 'bg' })],
};

const later = { timestamp: '2026-03-01T00:00:00Z' };

/** Transcripts of a session that was archived on 2026-02-01. */
export const archived = {
  unused: [hi],
  'an answer': [hi, assistant(2, 1, 'x', later)],
  'a prompt': [hi, user(2, 1, 'x', later)],
  'a prompt far back': [user(1, null, 'x', later), fill(2), fill(3)],
  'a meta entry': [hi, user(2, 1, 'x', { ...later, isMeta: true })],
  'a tool result': [hi, user(2, 1, [{ type: 'tool_result' }], later)],
  'a title': [hi, { ...title('x'), ...later }],
  'a subagent': [hi, user(2, 1, 'x', { ...later, isSidechain: true })],
  'a local command': [hi, user(2, 1, '<command-name>/x</command-name>', later)],
  'a prompt command': [hi, user(2, 1, '<command-message>x</command-message>', later)],
  'a shell command': [hi, user(2, 1, '<bash-input>ls</bash-input>', later)],
  'an interrupt': [hi, user(2, 1, '[Request interrupted by user]', later)],
  'an image': [hi, user(2, 1, [{ type: 'image' }], later)],
  'a queued prompt': [hi, attachment(2, 1, { ...later, attachment: { type: 'queued_command', prompt: 'x' } })],
  'a queued note': [
    hi,
    attachment(2, 1, {
      ...later,
      attachment: { type: 'queued_command', prompt: 'x', commandMode: 'task-notification' },
    }),
  ],
  'a note of a task': [hi, user(2, 1, 'x', { ...later, origin: { kind: 'task-notification' } })],
  'a person': [hi, user(2, 1, 'x', { ...later, origin: { kind: 'human' } })],
};

/** What the mark of an archived session may look like. */
export const marks = [
  '{"archived":true,"at":"2026-02-01T00:00:00.000Z","by":"sdk"}',
  '{"archived":false,"at":"2026-02-01T00:00:00.000Z","by":"sdk"}',
  '{"archived":true}',
  '{"archived":"true","at":"2026-02-01T00:00:00.000Z"}',
  '{"archived":true,"at":5}',
  '{"archived":true,"at":"2026-02-01"}',
  'nope',
  'null',
  '[]',
  '',
];

const turn = [hi, assistant(2, 1, 'x'), user(3, 2, 'b'), assistant(4, 3, 'c')];
const kept = { headUuid: uuid(3), anchorUuid: uuid(6), tailUuid: uuid(4) };

/** Conversations. */
export const conversations = {
  plain: turn,
  'the later branch': [hi, assistant(2, 1, 'old'), user(3, 1, 'new'), assistant(4, 3, 'c')],
  'the older branch goes on': [hi, assistant(2, 1, 'x'), user(3, 2, 'a'), user(4, 2, 'b'), assistant(5, 3, 'c')],
  'meta in between': [hi, user(2, 1, 'm', { isMeta: true }), assistant(3, 2, 'x')],
  'meta last': [hi, assistant(2, 1, 'x'), user(3, 2, 'm', { isMeta: true })],
  'a sidechain last': [hi, assistant(2, 1, 'x'), assistant(3, 2, 's', { isSidechain: true })],
  'a teammate last': [hi, assistant(2, 1, 'x'), assistant(3, 2, 's', { teamName: 't' })],
  attachments: [hi, attachment(2, 1), assistant(3, 2, 'x'), attachment(4, 3)],
  progress: [hi, progress(2, 1), assistant(3, 2, 'x')],
  system: [hi, assistant(2, 1, 'x'), system(3, 2), user(4, 3, 'y')],
  'a cycle': [user(1, 2, 'hi'), assistant(2, 1, 'x')],
  'a cycle above': [user(1, 2, 'hi'), assistant(2, 1, 'x'), user(3, 2, 'q')],
  'a parent nobody wrote': [hi, assistant(2, 99, 'x')],
  'written twice': [...turn, hi, assistant(2, 1, 'again')],
  'no uuid': [hi, { ...assistant(2, 1, 'x'), uuid: undefined }, assistant(3, 1, 'z')],
  'parallel tools': [
    hi,
    call(2, 1, 'm', 'a'),
    call(3, 2, 'm', 'b'),
    result(4, 2, 'a'),
    result(5, 3, 'b'),
    assistant(6, 5, 'd'),
  ],
  compaction: [hi, assistant(2, 1, 'x'), boundary(3, null, 2), summary(4, 3), user(5, 4, 'b')],
  'a compaction last': [hi, assistant(2, 1, 'x'), boundary(3, null, 2)],
  'a compaction that kept messages': [
    ...turn,
    boundary(5, null, 4, { preservedSegment: kept }),
    summary(6, 5),
    user(7, 6, 'b'),
  ],
  'what was kept goes on': [
    ...turn,
    boundary(5, null, 4, { preservedMessages: { anchorUuid: uuid(6), uuids: [uuid(3), uuid(4)] } }),
    summary(6, 5),
    user(7, 4, 'b'),
  ],
  'broken lines': [hi, 'nope', '{"type":"assistant"', assistant(2, 1, 'x'), '[]', 'null', '7'],
  'other types': [hi, { type: 'odd', uuid: uuid(2), parentUuid: uuid(1) }, assistant(3, 2, 'z')],
  nothing: [{ type: 'mode' }],
  'fields that are passed on': [
    user(1, null, 'hi', { origin: { kind: 'human' }, isVisibleInTranscriptOnly: true, level: 'x' }),
    assistant(2, 1, 'x', { isCompactSummary: true, timestamp: undefined }),
  ],
};

const titled = [
  ...turn,
  title('T'),
  { type: 'content-replacement', sessionId: e.SESSION, replacements: [{ kind: 'x' }] },
];

/** Sources of forks, each with the ids to cut at. */
export const forks = {
  plain: [turn, [1, 4, 99]],
  'with a title': [titled, [2]],
  'fields that are left out': [
    [user(1, null, 'hi', { teamName: 't', agentName: 'a', slug: 's', sourceToolAssistantUUID: 'u' })],
    [],
  ],
  'sidechains and progress': [
    [hi, progress(2, 1), assistant(3, 2, 's', { isSidechain: true }), user(4, 2, 'b'), user(5, 3, 'c')],
    [2, 3, 4],
  ],
  compaction: [
    [...turn, boundary(5, null, 4, { preservedSegment: kept }), attachment(20, 5), summary(6, 20), user(7, 6, 'b')],
    [4, 5, 20, 6, 7],
  ],
  'a compaction first': [
    [boundary(5, null, null), summary(6, 5)],
    [5, 6],
  ],
  'rewound behind a compaction': [
    [...turn, boundary(5, null, 4), summary(6, 5), user(7, 6, 'b'), user(8, 4, 'c'), assistant(9, 8, 'd')],
    [4, 6, 7, 8, 9],
  ],
  'rewound behind the second compaction': [
    [
      ...[...turn, boundary(5, null, 4), summary(6, 5), user(7, 6, 'b')],
      ...[boundary(8, null, 7), attachment(20, 8), summary(9, 20), user(10, 9, 'c'), user(11, 7, 'd')],
    ],
    [7, 9, 10, 11],
  ],
  'rewound behind a compaction, then compacted': [
    [
      ...[...turn, boundary(5, null, 4), summary(6, 5), user(7, 4, 'b')],
      ...[boundary(8, null, 7), summary(9, 8), user(10, 9, 'c')],
    ],
    [7, 9, 10],
  ],
  'rewound to a message that the compaction kept': [
    [...turn, boundary(5, null, 4, { preservedSegment: kept }), summary(6, 5), user(7, 6, 'b'), user(8, 4, 'c')],
    [8],
  ],
  'a branch written between a compaction that was left and the rest': [
    [...turn, boundary(5, null, 4), user(20, 4, 'x'), summary(6, 5), user(7, 4, 'b')],
    [20, 7],
  ],
  'queued twice, seen both times': [
    [hi, sent(2, 1, 9), assistant(3, 2, 'x'), sent(4, 3, 9), assistant(5, 4, 'y')],
    [9],
  ],
  'queued on a branch that was left, then seen': [
    [hi, sent(2, 1, 9), assistant(3, 2, 'x'), sent(4, 1, 9), assistant(5, 4, 'y')],
    [9],
  ],
  'queued and seen, then sent on a branch that was left': [
    [hi, sent(2, 1, 9), assistant(3, 2, 'x'), user(9, 3, 'b'), user(4, 3, 'c'), assistant(5, 4, 'y')],
    [9],
  ],
  'sent on a branch that was left, then queued and seen': [
    [hi, user(9, 1, 'b'), sent(2, 1, 9), assistant(3, 2, 'x')],
    [9],
  ],
  'queued and dropped, then queued and seen': [
    [hi, sent(2, 1, 9), user(3, 2, 'b'), assistant(4, 3, 'x'), sent(5, 4, 9), assistant(6, 5, 'y')],
    [9],
  ],
  'asked in another session': [[hi, assistant(2, 1, 'x', { requestSessionId: 'earlier' })], []],
  'of another session': [[hi, assistant(2, 1, 'x', { sessionId: uuid(5) })], []],
  'with a latch': [[{ type: 'atis-latch', atis: 'A', sessionId: e.SESSION }, hi, assistant(2, 1, 'x')], [1]],
  'broken lines': [[hi, 'nope', assistant(2, 1, 'x')], []],
  'nothing to copy': [[{ type: 'mode' }], []],
  'a sidechain only': [[user(1, null, 'hi', { isSidechain: true })], []],
};

export const titles = ['T', '  T ü" ', 'a\nb', 'a\u200bb', '', '  ', '\ufeff', '\u3000y\u00a0'];

export const tags = [
  't',
  ' t ',
  'a\u00adb',
  'a\u202eb',
  'a\ufeffb',
  '\ue000x',
  '\u{e0041}x',
  'x\u0378',
  '\u2028x',
  'a\nb',
  '\u0000',
  '\u200b',
  '',
  '  ',
  '\ufb01',
  '\uff21',
  'e\u0301',
  '👨\u200d👩',
  'x\u{f0000}',
  '\ud800x',
  '\u2060x',
  null,
];
