/** Where the two packages are meant to be different. */
export interface ListedDifference {
  /** In docs/evidence/differences.md. */
  readonly id: string;
  readonly reason: string;
  /** What is different, for each case that shows it. `exitCode?`: it may be, as one side ends by chance. */
  readonly cases: Readonly<Record<string, readonly string[]>>;
}

/** Documented differences that no case shows, and why. */
export const NOT_SHOWN: Readonly<Record<string, string>> = {
  'D-02': 'A line of 512 MiB would have to be written and read twice.',
  'D-49': 'It is about Windows.',
  'D-94': 'The classes of errors are compared by kind, and the text by the words that both have.',
  'D-95': 'The official side ends with a raw error, seen by hand with 0.3.330.',
  'D-96': 'It belongs to the case of D-01 about a request without an id.',
  'D-97': 'The official answer depends on which handler ends first, seen by hand with 0.3.330.',
  'D-98': 'It is about Windows.',
  'D-203': 'A text and a list of it are read as one form (`harness/one-form.ts`).',
  'D-207': 'The official SDK loses the frame: `test/transport/embedded-frames.test.ts` has ours.',
  'D-208': 'The comparison of sessions shows it, by the names of the questions.',
  'D-209': 'As D-208.',
  'D-423': 'A scripted CLI takes every schema: `test/live/results.live.test.ts` has the real one.',
  'D-424':
    'Seen side by side on the real CLI: `test/query/transcript-mirror` and `test/query/stored-session` have ours.',
  'D-205': 'It is about older releases of the CLI: `test:live` and `npm run releases` run them.',
};

/** Refused before anything starts, where the other package goes on and gives a result. */
const REFUSED = ['messages', 'processes', 'thrown'];
/** The official side did not do what the scripted CLI waits for, and that ended there. */
const GAVE_UP = ['cli', 'error', 'exitCode', 'wire'];

export const DIFFERENCES: readonly ListedDifference[] = [
  {
    id: 'D-01',
    reason: 'one bad line must not cost the session',
    cases: {
      'TS-088: any first result ends the input: of an error, of another session': ['error', 'messages'],
      'TS-111: duplicate, unknown and bodiless answers are ignored, and reported': ['error', 'messages'],
      'TS-130: a request without `request` is answered with an error, one without an id is reported': ['wire'],
      'TS-167: lines that are no JSON objects are skipped, and the session goes on': ['error', 'messages'],
      'TS-167: an error result with odd `errors` is delivered': ['error', 'messages'],
    },
  },
  {
    id: 'D-03',
    reason: 'memory of servers',
    cases: { 'TS-083: the prompt is pulled no faster than the CLI reads': ['exitCode?', 'value'] },
  },
  {
    id: 'D-04',
    reason: 'a wait has an end',
    cases: {
      'TS-112: an unanswered initialize ends the run after initializeTimeoutMs': GAVE_UP,
      'TS-108: an unanswered request rejects after its time, its late answer is reported, the session goes on': [
        'messages',
        'notes',
        'processes?',
        'wire?',
        'exitCode?',
        'threw',
      ],
    },
  },
  {
    id: 'D-190',
    reason: 'stop means stop',
    cases: {
      'TS-134: the end of the query aborts all signals; a result that comes later is not written': ['wire'],
      'TS-159: close() mid-turn: an interrupt before the end of input; a CLI that leaves at that gets no signal (C-6)':
        ['wire'],
      'TS-160: return() mid-turn: an interrupt before the end of input; a CLI that leaves at that gets no signal (C-6)':
        ['wire'],
      'TS-160: dispose mid-turn: an interrupt before the end of input; a CLI that leaves at that gets no signal (C-6)':
        ['wire'],
      'TS-160: break mid-turn: an interrupt before the end of input; a CLI that leaves at that gets no signal (C-6)': [
        'wire',
      ],
      'TS-157: abort mid-turn: AbortError with the reason as its cause, an interrupt and no signal (C-6)': ['wire'],
      'TS-159: close(): SIGTERM at 2 s, SIGKILL at 7 s for a CLI that ignores both, and it says so': ['wire'],
      'TS-158: abort: SIGTERM at 2 s, SIGKILL at 7 s for a CLI that ignores both, and it says so': ['wire'],
      'TS-160: return() waits two seconds for the CLI and no longer': ['wire'],
      'TS-160: throw(e) ends the CLI and rejects with e': ['wire'],
      'TS-159: messages that were received before close() stay readable': ['wire'],
      'TS-161: the signal of a custom spawn aborts only after the two seconds': ['wire'],
      'TS-160: return(value) gives the value back': ['wire'],
    },
  },
  {
    id: 'D-05',
    reason: 'a wait has an end',
    cases: { 'TS-093: a request after the input ended rejects while the turn still runs': ['notes'] },
  },
  {
    id: 'D-08',
    reason: 'the first cause is what helps',
    cases: {
      'TS-157: an error of the prompt reaches the loop, and the prompt is returned when the loop is left': [
        'error',
        'wire',
      ],
    },
  },
  {
    id: 'D-199',
    reason: 'a lost message must not look sent',
    cases: {
      'TS-109: after an abort methods reject with an AbortError that names it, at once and when the loop is over': [
        'notes',
      ],
    },
  },
  {
    id: 'D-204',
    reason: 'releases before 2.1.207 refuse an allow without an input',
    cases: {
      'TS-096: a message after the first result: the control channel stays open until the second': ['wire'],
      'TS-113: canUseTool gets name, input and camelCase options; the answer has behavior and toolUseID': ['wire'],
      'TS-117: a callback that throws or rejects is answered with its message, and the session goes on': ['wire'],
      'TS-120: two questions in flight: answers leave in the order of completion': ['wire'],
      'TS-121: the same id in flight is one question; after its answer it is another': ['wire'],
      'TS-131: questions that were open before, in the answer to initialize, are asked and answered': ['wire'],
      'TS-132: messages are delivered while a permission callback is pending': ['wire'],
      'TS-133: callbacks run although nobody iterates, behind any number of unread messages': ['wire'],
    },
  },
  {
    id: 'D-206',
    reason: 'the file may be there',
    cases: {
      'TS-102: readFile() rejects when the CLI does not know the request or never answers: the file may be there': [
        ...GAVE_UP,
        'notes',
      ],
    },
  },
  {
    id: 'D-09',
    reason: 'generators can clean up',
    cases: { 'TS-160: the prompt is returned when the loop is left': ['notes', 'wire'] },
  },
  {
    id: 'D-10',
    reason: 'what was aborted before does not begin',
    cases: { 'TS-157: with an aborted controller nothing is started': ['notes'] },
  },
  {
    id: 'D-17',
    reason: 'a hook that only observes has no opinion',
    cases: { 'TS-124: a hook that returns nothing has no opinion': ['wire'] },
  },
  {
    id: 'D-18',
    reason: 'other code reads it',
    cases: { "TS-003: the host's own environment stays what it is": ['value'] },
  },
  {
    id: 'D-26',
    reason: 'a process that the signal alone would end must not be left behind',
    cases: { 'TS-161: close() with a custom spawn: SIGTERM at 2 s, and the signal tells of it': ['notes', 'wire'] },
  },
  {
    id: 'D-27',
    reason: 'a schema that is written already needs no library',
    cases: { 'TS-148: a raw JSON Schema is a schema': ['value'] },
  },
  {
    id: 'D-28',
    reason: 'what a caller does to a list is his own business',
    cases: { 'TS-184: a list that the store gave is the caller’s own': ['value'] },
  },
  {
    id: 'D-41',
    reason: 'a name that holds another rule would allow it',
    cases: { 'TS-041: a skill whose name could hold another rule is refused': [] },
  },
  { id: 'D-45', reason: 'we say who we are', cases: { 'TS-003: the CLI is told which SDK it is': ['value'] } },
  {
    id: 'D-06',
    reason: 'an option that the official package does not have, and that is off',
    cases: { "TS-151: exit 0 without a result is an error with incompleteStream 'throw'": ['error'] },
  },
  {
    id: 'D-07',
    reason: 'a CLI that hangs must not hang the host',
    cases: {
      'TS-151: a CLI that does not leave after its input ended is made to, and it says so': [...GAVE_UP, 'signals'],
    },
  },
  {
    id: 'D-11',
    reason: 'the folder is what is wrong',
    cases: { 'TS-162: a working directory that does not exist is named as such': ['error'] },
  },
  {
    id: 'D-12',
    reason: 'a callback that fails must not end the host',
    cases: { 'TS-166: stderr reaches the callback; one that throws is contained': ['crashed'] },
  },
  {
    id: 'D-13',
    reason: 'an in-process server works wherever it is named',
    cases: {
      'TS-150: one server in two queries at once, under two keys, and again after they ended': ['wire'],
      'TS-149: another server under the same name replaces the one before': ['wire'],
      'TS-149: when the CLI refuses, the servers are what they were': ['wire'],
    },
  },
  {
    id: 'D-14',
    reason: 'what is asked is answered',
    cases: {
      'TS-140: notifications are acknowledged; an unknown server and a message without its parts are errors': ['wire'],
    },
  },
  {
    id: 'D-15',
    reason: 'hooks and permissions of later turns must be asked',
    cases: { 'TS-090: no states: a callback that is pending at the result still gets its answer through': GAVE_UP },
  },
  {
    id: 'D-16',
    reason: 'a guard that fails must guard',
    cases: {
      'TS-117: a result that is no decision denies': ['wire'],
      'TS-125: a hook result of a wrong shape blocks what the event guards': ['wire'],
    },
  },
  {
    id: 'D-19',
    reason: 'it says more than the exit code does',
    cases: { 'TS-154: an error result without text and then exit 1 is still an error result': ['error'] },
  },
  {
    id: 'D-20',
    reason: 'a typed error, and one kind of failure, instead of a raw TypeError or undefined',
    cases: {
      'TS-100: every method writes its subtype and payload and gives its part of the answer': ['notes'],
      'TS-100: mcpServerStatus() without a body in the answer fails with an error that says so': ['value'],
      'TS-102: readFile() gives null for an error answer, an answer without a body, and a session that ends or has ended':
        ['notes'],
    },
  },
  {
    id: 'D-29',
    reason: 'AbortError comes when it was asked for; what was received is not lost',
    cases: {
      'TS-157: what comes after an abort is not delivered': ['messages', 'wire'],
      'TS-159: close() right after the first message of a burst: what was received is delivered': ['messages', 'wire'],
    },
  },
  {
    id: 'D-50',
    reason: 'options may be objects of a class',
    cases: { 'TS-001: options that an object inherits count': ['value'] },
  },
  {
    id: 'D-51',
    reason: 'the protocol lets them be left out',
    cases: { 'TS-138: a call without arguments runs a tool that needs none': ['wire'] },
  },
  {
    id: 'D-52',
    reason: 'a server and a tool need a name',
    cases: { 'TS-148: a server and a tool without a name are refused': ['value'] },
  },
  {
    id: 'D-53',
    reason: 'a key that is there has a value',
    cases: { 'TS-139: the extra of a tool has only keys that have a value': ['notes'] },
  },
  {
    id: 'D-54',
    reason: 'nothing that no CLI can take, nothing that says nothing',
    cases: {
      'TS-025: numbers that no CLI can take': ['value'],
      'TS-015: what is empty or undefined does not reach a spawner': ['notes'],
    },
  },
  {
    id: 'D-55',
    reason: 'nothing is sent anywhere',
    cases: { 'TS-152: an error has nothing that would be sent somewhere': ['value'] },
  },
  {
    id: 'D-128',
    reason: 'an abort is an abort',
    cases: { 'TS-175: an abort while startup() waits for initialize ends the wait': ['value'] },
  },
  {
    id: 'D-129',
    reason: 'an abort is an abort',
    cases: {
      'TS-177: an abort in the tick of claim(): nothing is delivered, and the claim rejects': [
        'messages',
        'notes',
        'wire',
      ],
    },
  },
  {
    id: 'D-21',
    reason: 'a request that nobody awaits must not end the host',
    cases: {
      'TS-165: a CLI that dies with requests and initialize pending, nothing awaited: no unhandled rejection': [
        'unhandled',
      ],
    },
  },
  {
    id: 'D-22',
    reason: 'what happens silently is told to onDiagnostic; the frames are the same',
    cases: { 'TS-092: a state that never becomes idle: end of input 600 s after the result, and said so': ['notes'] },
  },
  {
    id: 'D-23',
    reason: 'the texts of the MCP SDK and of the validator that are installed',
    cases: {
      'TS-138: what cannot be called or answered is told from what failed, from the tool table': ['wire'],
      'TS-138: what cannot be called or answered is told from what failed, through an MCP SDK instance': ['wire'],
    },
  },
  {
    id: 'D-25',
    reason: 'the text is our own: it says what was expected, and of whom',
    cases: {
      "TS-086: a hook of onFailure 'block' ends the run when the flag is missing": ['error'],
      "TS-085: a hook of onFailure 'block' ends the run when the hooks were not applied": ['error'],
      'TS-087: an answer without mcp_servers_applied ends the run': ['error'],
      'TS-119: a result that is not JSON is answered with an error': ['wire'],
    },
  },
  {
    id: 'D-47',
    reason: 'one class, whose text names option, expectation and value',
    cases: {
      'TS-050: sandbox beside a settings path': ['thrown'],
      'TS-055: another delivery': ['thrown'],
      'TS-075: dialogs nobody can show': ['thrown'],
      'TS-079: a cycle in agents': ['thrown'],
      'TS-079: a BigInt in a server': ['thrown'],
      'TS-079: a cycle in settings': ['thrown'],
      'TS-080: an event that is not a list': ['thrown'],
      'TS-080: a matcher without its hooks': ['thrown'],
    },
  },
  {
    id: 'D-30',
    reason: 'wrong types are refused by name before anything starts',
    cases: {
      'TS-008: an object as a value is refused without showing it': REFUSED,
      'TS-013: one that is not text': ['thrown'],
      'TS-031: betas as text': ['thrown'],
      'TS-033: the text "false" does not skip them': REFUSED,
      'TS-037: an allowed tool that is not text': REFUSED,
      'TS-041: skills as other text': ['thrown'],
      'TS-056: a server that is null': ['thrown'],
      'TS-063: a value that is not text': REFUSED,
      'TS-067: a store without `append`': REFUSED,
      'TS-067: a store whose optional method is none': REFUSED,
      'TS-067: an unknown flush mode': REFUSED,
      'TS-067: a negative time to load': REFUSED,
      'TS-069: a part that is not text': REFUSED,
      'TS-149: what the option would refuse is refused, and nothing is written': ['notes', 'wire'],
    },
  },
  {
    id: 'D-31',
    reason: 'a missing prompt must not change the run unnoticed',
    cases: { 'TS-069: null, which would change the prompt unnoticed': ['thrown'] },
  },
  {
    id: 'D-32',
    reason: 'the model would run without its instructions',
    cases: { 'TS-069: an unknown type, which would leave the prompt out': REFUSED, 'TS-070: another preset': REFUSED },
  },
  {
    id: 'D-33',
    reason: 'the opposite of what was meant',
    cases: { 'TS-039: tools as text would mean all of them': REFUSED },
  },
  {
    id: 'D-34',
    reason: 'the output would silently be something else',
    cases: {
      'TS-026: an unknown kind of thinking': REFUSED,
      'TS-061: another output format would silently be none': REFUSED,
    },
  },
  {
    id: 'D-35',
    reason: 'no limit is no flag; a limit that is none is refused',
    cases: {
      'TS-023: infinite turns': ['argv'],
      'TS-023: negative turns': REFUSED,
      'TS-023: turns that are not a number, which would be no limit': REFUSED,
      'TS-023: turns as text': REFUSED,
    },
  },
  { id: 'D-36', reason: 'a limit that is none is refused', cases: { 'TS-024: a budget that is no number': REFUSED } },
  {
    id: 'D-37',
    reason: 'the CLI accepts nothing else',
    cases: { 'TS-043: a session id that the CLI refuses': REFUSED },
  },
  {
    id: 'D-38',
    reason: 'flags that were not meant',
    cases: { "TS-063: the caller's own flags, before --settings": ['argv'], 'TS-063: a flag with its dashes': REFUSED },
  },
  {
    id: 'D-39',
    reason: 'the text null is never meant',
    cases: { 'TS-008: numbers and booleans become text, null leaves the name out': ['env'] },
  },
  {
    id: 'D-40',
    reason: 'a guard must exist when the run starts',
    cases: {
      'TS-071: a hook that is no function': REFUSED,
      'TS-071: a pattern as a RegExp, which would become {}': REFUSED,
    },
  },
  {
    id: 'D-42',
    reason: 'a server that nobody has',
    cases: { 'TS-056: an in-process server without its instance': REFUSED },
  },
  {
    id: 'D-43',
    reason: 'every user of the machine can read command lines',
    cases: {
      'TS-047: settings with variables travel in a private file': ['argv', 'files'],
      'TS-047: settings text with variables travels as it is in a private file': ['argv', 'files'],
      'TS-049: inline settings with variables and a sandbox travel in one private file': ['argv', 'files'],
      'TS-056: a server of an unknown shape passes, in a private file: nobody knows what its fields hold': [
        'argv',
        'files',
      ],
      'TS-056: a server with secrets (command, env) travels in a private file': ['argv', 'files'],
      'TS-056: a server with secrets (type, url, headers) travels in a private file': ['argv', 'files'],
      'TS-056: a server with secrets (type, url) travels in a private file': ['argv', 'files'],
      'TS-056: a server with secrets (type, url) travels in a private file (2)': ['argv', 'files'],
      'TS-056: a server with secrets (type, url) travels in a private file (3)': ['argv', 'files'],
      'TS-056: a server with secrets (type, url, oauth) travels in a private file': ['argv', 'files'],
      'TS-056: a server with secrets (type, url, authorization_token) travels in a private file': ['argv', 'files'],
      'TS-063: the flag with variables stays in its place, in a private file': ['argv', 'files'],
    },
  },
  {
    id: 'D-44',
    reason: 'a trace state belongs to its parent',
    cases: { "TS-019: the caller's own trace stays whole": ['env'] },
  },
  { id: 'D-46', reason: 'not there yet', cases: {} },
  {
    id: 'D-48',
    reason: 'named before the spawn',
    cases: { 'TS-008: a NUL in a value is refused without showing it': ['thrown'] },
  },
];
