import type { JsonObject } from '../../../../src/util/json.js';
import type { Act, ProcessProgram } from '../harness/program.js';
import type { Json, Row } from '../harness/row.js';
import { assistant, differs, EOF, launch, look, RESULT, result, TURN, USER } from './steps.js';

/** The SDK takes the machine for one with Windows. */
const WINDOWS = { PARITY_PLATFORM: 'win32' };
const PATH = '<home>/bin:/usr/bin:/bin';
const probed = { probe: '2.1.0 (Claude Code)' } as const;
const noProbe = (why: string) =>
  differs('official-ts', 'TS-002, D-70', 'probes', `The TypeScript SDK runs no \`-v\`. ${why}`);
const missing = launch('a path that does not exist', {}, { place: 'missing' });

/** Finding the CLI, and starting it. */
const spawnRows: readonly Row<ProcessProgram>[] = [
  {
    id: 'PY-001',
    what: 'the given path is started, and no other is looked for',
    looks: [
      look(launch('a given path beside a decoy on PATH', {}, { hostEnv: { PATH } }), {
        at: ['processes', 'failure', 'end'],
        both: { processes: 1, failure: null, end: 'end' },
      }),
    ],
  },
  {
    id: 'PY-002',
    what: 'the binary inside the wheel is preferred to one on PATH',
    notApplicable:
      'A wheel carries the CLI beside its Python code; this package carries none. The npm packages that do are looked for first (TS-020, `test/transport/command.test.ts`).',
  },
  {
    id: 'PY-003',
    what: 'without a path, the CLI on the PATH of the host is started',
    looks: [
      look(launch('on PATH', {}, { hostEnv: { PATH }, place: 'home:bin/claude' }), {
        at: ['processes', 'failure', 'end'],
        both: { processes: 1, failure: null, end: 'end' },
      }),
    ],
  },
  {
    id: 'PY-004',
    what: 'without one on PATH, the known places are tried',
    looks: [
      '.npm-global/bin/claude',
      '.local/bin/claude',
      'node_modules/.bin/claude',
      '.yarn/bin/claude',
      '.claude/local/claude',
    ].map((place) =>
      look(launch(`in ~/${place}`, {}, { hostEnv: { PATH: '/usr/bin:/bin' }, place: `home:${place}` }), {
        at: ['processes', 'failure', 'end'],
        both: { processes: 1, failure: null, end: 'end' },
      }),
    ),
  },
  {
    id: 'PY-005',
    what: 'no CLI anywhere: an error of the same class, and nothing started',
    looks: [
      look(launch('nowhere', {}, { hostEnv: { PATH: '/usr/bin:/bin' }, place: 'none' }), {
        at: ['processes', 'failure/kind', 'failure/classes'],
        both: { processes: 0, failure: { classes: ['CLINotFoundError', 'CLIConnectionError', 'ClaudeSDKError'] } },
      }),
    ],
  },
  {
    id: 'PY-006',
    what: 'no CLI anywhere: making a client throws nothing',
    looks: [
      look(
        {
          ...launch('nowhere, and only made', { $construct: true }),
          mode: 'client',
          hostEnv: { PATH: '/usr/bin:/bin' },
          place: 'none',
        },
        { at: ['start', 'processes'], both: { start: { result: null }, processes: 0 } },
      ),
    ],
  },
  {
    id: 'PY-007',
    what: 'a path that does not exist: the error names it',
    looks: [
      look(missing, {
        // The words are those of the official TypeScript SDK, which programs look for.
        at: ['failure/kind', 'failure/classes', 'processes'],
        both: { processes: 0, failure: { kind: 'not_found' } },
      }),
    ],
  },
  {
    id: 'PY-008',
    what: 'a path that is a folder or not executable: the start failed',
    looks: (['directory', 'not-executable'] as const).map((place) =>
      look(launch(`a path that is a ${place}`, {}, { place }), {
        at: ['failure/kind', 'failure/classes', 'processes'],
        both: {
          processes: 0,
          failure: { classes: ['CLIConnectionError', 'ClaudeSDKError'], message: '/^Failed to start Claude Code: /' },
        },
      }),
    ),
  },
  {
    id: 'PY-009',
    what: 'a working directory that does not exist is named, even when the path is bad too',
    looks: [
      look(launch('a missing working directory', {}, { cwd: 'missing' }), {
        at: ['failure/kind', 'failure/classes', 'failure/message'],
        both: { processes: 0, failure: { message: 'Working directory does not exist: <cwd>' } },
      }),
      look(launch('both missing', {}, { cwd: 'missing', place: 'missing' }), {
        at: ['failure/kind', 'failure/classes', 'failure/message'],
        both: { processes: 0, failure: { message: 'Working directory does not exist: <cwd>' } },
      }),
    ],
  },
  {
    id: 'PY-010',
    what: 'a working directory that is a file: the start failed',
    looks: [
      look(launch('a working directory that is a file', {}, { cwd: 'file' }), {
        at: ['failure/kind', 'failure/classes'],
        both: {
          processes: 0,
          failure: { classes: ['CLIConnectionError', 'ClaudeSDKError'], message: '/^Failed to start Claude Code: /' },
        },
      }),
    ],
  },
  {
    id: 'PY-011',
    what: 'Windows: a batch script is not started',
    looks: ['claude.cmd', 'claude.BAT', 'x.cmd/claude'].map((name) =>
      look(launch(`Windows: ${name}`, {}, { hostEnv: WINDOWS, place: `named:${name}`, cwd: 'unset' }), {
        at: ['processes', 'probes', 'failure/kind', 'failure/classes'],
        both: { processes: 0, failure: { kind: 'launch', message: '/batch script/' } },
      }),
    ),
  },
  {
    id: 'PY-012',
    what: 'Windows: a native executable is preferred to a shim that comes first on PATH',
    looks: [
      look(
        {
          ...launch('Windows: a shim and a native executable', { $construct: true }),
          mode: 'client',
          acts: [
            {
              drive: {
                command: 'call',
                method: 'find',
                args: [
                  ['C:\\shim', 'C:\\native'],
                  ['C:\\shim\\claude', 'C:\\shim\\claude.cmd', 'C:\\native\\claude.exe'],
                ],
              },
              as: 'found',
            },
            { reply: 'found' },
          ],
        },
        { at: ['calls/found'], both: { processes: 0, calls: { found: { result: 'C:\\native\\claude.exe' } } } },
      ),
    ],
  },
  {
    id: 'PY-013',
    what: 'Windows: characters that only a shell knows',
    looks: [
      look(launch('Windows: odd characters', { resume: 'a&b' }, { hostEnv: WINDOWS, cwd: 'unset' }), {
        python: { processes: 0, failure: { kind: 'invalid_option', message: '/resume/' } },
        ours: { processes: 0, failure: { kind: 'not_found' } },
        differs: [
          differs(
            'official-ts',
            'TS-042, D-71',
            'failure',
            'They are passed on, as by the TypeScript SDK: no batch script is ever run, so there is no shell that would read them. (The start then fails, since this is no Windows.)',
          ),
        ],
      }),
    ],
  },
  {
    id: 'PY-014',
    what: 'characters that only a shell knows reach argv unchanged',
    looks: ['resume', 'resumeSessionAt', 'resumeDropsTurn'].map((option) =>
      look(launch(`odd characters in ${option}`, { [option]: '&|<>^%!"\r\n' }), {
        at: ['flags/--resume', 'flags/--resume-session-at', 'flags/--resume-drops-turn', 'failure'],
        both: { failure: null },
        python: { rest: ['--system-prompt', '', '/=&\\|<>\\^%!"\\r\\n$/'] },
        ours: { rest: ['/=&\\|<>\\^%!"\\r\\n$/'] },
      }),
    ),
  },
];

/** The version probe, which only the older release of Python has: the newer one reads the version from `init`. */
const probeRows: readonly Row<ProcessProgram>[] = [
  {
    id: 'PY-015',
    what: 'nothing is run to ask for the version (the older release runs `-v` first, in the directory and environment of the host)',
    looks: [
      look(launch('probe', { env: { A: 'child' } }, probed), {
        at: ['probes', 'processes'],
        python: { probes: [], processes: 1 },
        ours: { probes: [], processes: 1 },
        before: {
          python: { probes: [{ argv: ['-v'], env: { A: null, CLAUDE_CODE_ENTRYPOINT: null } }], processes: 1 },
          differs: [noProbe('The process is started when `query()` is called.')],
        },
      }),
    ],
  },
  {
    id: 'PY-016',
    what: 'CLAUDE_AGENT_SDK_SKIP_VERSION_CHECK: no `-v`',
    looks: [look(launch('no probe', {}), { at: ['probes', 'processes'], both: { probes: [] } })],
  },
  {
    id: 'PY-017',
    what: 'that variable for the child only (the older release runs `-v` all the same)',
    looks: [
      look(launch('probe, switched off in `env`', { env: { CLAUDE_AGENT_SDK_SKIP_VERSION_CHECK: '1' } }, probed), {
        at: ['probes'],
        python: { probes: [] },
        ours: { probes: [] },
        before: { python: { probes: [{ argv: ['-v'] }] }, differs: [noProbe('There is none to switch off.')] },
      }),
    ],
  },
  {
    id: 'PY-018',
    what: 'a CLI that says in `-v` that it is old: the run goes on (the older release warns)',
    looks: [
      look(launch('probe says 1.9.99', {}, { probe: '1.9.99 (Claude Code)' }), {
        at: ['failure', 'end', 'said', 'probes', 'warnings'],
        python: { warnings: [] },
        ours: { warnings: [] },
        before: {
          python: { warnings: ['/1\\.9\\.99.*2\\.0\\.0/'] },
          differs: [
            noProbe('What an old CLI cannot do is said where it is needed.'),
            differs('official-ts', 'TS-002, D-70', 'warnings', 'No version is asked for, so none is warned of.'),
          ],
        },
      }),
    ],
  },
  {
    id: 'PY-019',
    what: 'a new CLI, or no version at all: no warning',
    looks: ['2.0.0', '10.0.0 (Claude Code)', 'v1.0.0', 'garbage'].map((probe) =>
      look(launch(`probe says ${probe}`, {}, { probe }), {
        at: ['failure', 'end', 'said', 'warnings', 'probes'],
        both: { warnings: [], failure: null },
        before: { differs: [noProbe('There is nothing to warn of either way.')] },
      }),
    ),
  },
  {
    id: 'PY-020',
    what: 'a probe that fails or hangs: the run goes on',
    looks: ['fail', 'hang'].map((probe) =>
      look(launch(`probe that does: ${probe}`, {}, { probe, timeScale: probe === 'hang' ? 5 : 1 }), {
        at: ['failure', 'end', 'said', 'warnings', 'probes'],
        both: { failure: null, said: ['result/success'] },
        before: { differs: [noProbe('Nothing waits for it.')] },
      }),
    ),
  },
];

function env(name: string, options: JsonObject, more: Partial<ProcessProgram> = {}): ProcessProgram {
  return launch(`environment: ${name}`, options, more);
}

/** What the child's environment holds. */
const envRows: readonly Row<ProcessProgram>[] = [
  {
    id: 'PY-070',
    what: 'the mark of a CLI further up',
    looks: [
      look(env('CLAUDECODE in the host', {}, { hostEnv: { CLAUDECODE: '1' } }), {
        python: { env: { CLAUDECODE: '$absent' } },
        ours: { env: { CLAUDECODE: '1' } },
        differs: [
          differs('official-ts', 'TS-003', 'env/CLAUDECODE', "The TypeScript SDK passes the host's environment on."),
        ],
      }),
      look(env('CLAUDECODE in `env`', { env: { CLAUDECODE: '2' } }), {
        at: ['env/CLAUDECODE'],
        both: { env: { CLAUDECODE: '2' } },
      }),
    ],
  },
  {
    id: 'PY-071',
    what: 'the entry point',
    looks: [
      look(env('entry point in `env`', { env: { CLAUDE_CODE_ENTRYPOINT: 'mine' } }), {
        at: ['env/CLAUDE_CODE_ENTRYPOINT'],
        both: { env: { CLAUDE_CODE_ENTRYPOINT: 'mine' } },
      }),
      look(env('entry point in the host', {}, { hostEnv: { CLAUDE_CODE_ENTRYPOINT: 'theirs' } }), {
        python: { env: { CLAUDE_CODE_ENTRYPOINT: 'sdk-py' } },
        ours: { env: { CLAUDE_CODE_ENTRYPOINT: 'theirs' } },
        differs: [
          differs('official-ts', 'TS-004', 'env/CLAUDE_CODE_ENTRYPOINT', 'The TypeScript SDK keeps an inherited one.'),
        ],
      }),
    ],
  },
  {
    id: 'PY-072',
    what: 'the version of the SDK',
    looks: [
      look(env('version', {}), {
        python: { env: { CLAUDE_AGENT_SDK_VERSION: '/^0\\.2\\./' } },
        ours: { env: { CLAUDE_AGENT_SDK_VERSION: '/^claudewire//' } },
        differs: [differs('official-ts', 'TS-003, D-45', 'env/CLAUDE_AGENT_SDK_VERSION', 'Each SDK says who it is.')],
      }),
      look(env('version in `env`', { env: { CLAUDE_AGENT_SDK_VERSION: 'mine' } }), {
        python: { env: { CLAUDE_AGENT_SDK_VERSION: '/^0\\.2\\./' } },
        ours: { env: { CLAUDE_AGENT_SDK_VERSION: 'mine' } },
        differs: [
          differs(
            'official-ts',
            'TS-007',
            'env/CLAUDE_AGENT_SDK_VERSION',
            'In the TypeScript SDK `env` has the last word.',
          ),
        ],
      }),
    ],
  },
  {
    id: 'PY-073',
    what: '`env` and the environment of the host',
    looks: [
      look(env('a variable in both', { env: { A: 'mine' } }, { hostEnv: { A: 'host', B: 'host' }, env: ['A', 'B'] }), {
        at: ['env/A'],
        python: { env: { A: 'mine', B: 'host' } },
        ours: { env: { A: 'mine', B: '$absent' } },
        differs: [differs('official-ts', 'TS-007', 'env/B', 'In the TypeScript SDK `env` replaces the environment.')],
      }),
      look(env('no `env`', {}, { hostEnv: { A: 'host', B: 'host' }, env: ['A', 'B'] }), {
        at: ['env/A', 'env/B'],
        both: { env: { A: 'host', B: 'host' } },
      }),
    ],
  },
  {
    id: 'PY-074',
    what: 'file checkpointing is a variable, which `env` does not override',
    looks: [
      look(
        env('checkpointing', {
          enableFileCheckpointing: true,
          env: { CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: 'no' },
        }),
        {
          at: ['env/CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING'],
          both: { env: { CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING: 'true' } },
        },
      ),
    ],
  },
  {
    id: 'PY-075',
    what: 'the working directory of the child',
    looks: [
      look(env('working directory', { env: { PWD: '/elsewhere' } }), {
        at: ['cwd'],
        both: { cwd: '<cwd>' },
        python: { env: { PWD: '<cwd>' } },
        ours: { env: { PWD: '/elsewhere' } },
        differs: [
          differs(
            'official-ts',
            'TS-007, TS-013',
            'env/PWD',
            'The TypeScript SDK sets no `PWD`: `env` is what the child gets.',
          ),
        ],
      }),
    ],
  },
  {
    id: 'PY-076',
    what: 'the trace context of an active span',
    looks: [
      look(env('an active span', {}, { hostEnv: { PARITY_TRACE: '1', TRACEPARENT: 'old', TRACESTATE: 'old' } }), {
        at: ['env/TRACEPARENT', 'env/TRACESTATE'],
        both: {
          env: { TRACEPARENT: '00-11111111111111111111111111111111-2222222222222222-01', TRACESTATE: '$absent' },
        },
      }),
      look(env('no span', {}, { hostEnv: { TRACEPARENT: 'old', TRACESTATE: 'old' } }), {
        at: ['env/TRACEPARENT', 'env/TRACESTATE'],
        both: { env: { TRACEPARENT: 'old', TRACESTATE: 'old' } },
      }),
    ],
  },
];

const line = (frame: JsonObject): string => `${JSON.stringify(frame)}\n`;
const hello = line(assistant('a  b\u00e9\u{1f600}c'));
const bytesOf = (text: string): { bytes: string } => ({ bytes: Buffer.from(text).toString('base64') });
const SHOWN = ['said', 'failure', 'end'];
const one = { said: ['assistant', 'result/success'], failure: null, end: 'end' };

/** A line of a message that is exactly so many characters long. */
function lineOf(length: number): string {
  const rest = JSON.stringify(assistant('')).length;
  return line(assistant('x'.repeat(length - rest)));
}

/** What is read from stdout and stderr. */
const outputRows: readonly Row<ProcessProgram>[] = [
  {
    id: 'PY-077',
    what: 'a message in several reads, cut anywhere, is delivered whole',
    looks: [
      look(
        launch(
          'output: cut after every third byte',
          {},
          { cli: [USER, { ...bytesOf(hello), cut: 3, gapMs: 0 }, RESULT] },
        ),
        { at: [...SHOWN, 'messages/0/message/content'], both: { ...one, messages: ['$any', '$any'] as Json } },
      ),
    ],
  },
  {
    id: 'PY-078',
    what: 'several messages in one read are delivered in order',
    looks: [
      look(
        launch(
          'output: three at once',
          {},
          { cli: [USER, { raw: line(assistant('1')) + line(assistant('2')) + line(result()) }] },
        ),
        {
          at: [...SHOWN, 'messages/0/message/content', 'messages/1/message/content'],
          both: { said: ['assistant', 'assistant', 'result/success'] },
        },
      ),
    ],
  },
  {
    id: 'PY-079',
    what: 'lines that are no objects are skipped',
    looks: [
      look(
        launch(
          'output: lines that are no objects',
          {},
          { cli: [USER, { raw: '[Sandbox] x\n\n[1,2]\n"s"\nnull\n' }, { raw: hello }, RESULT] },
        ),
        { at: SHOWN, both: one },
      ),
    ],
  },
  {
    id: 'PY-080',
    what: 'a line that begins as an object and is no JSON',
    looks: [
      look(launch('output: broken JSON', {}, { cli: [USER, { raw: '{"a":\n' }, { raw: hello }, RESULT] }), {
        python: { failure: { classes: ['CLIJSONDecodeError', 'ClaudeSDKError'], line: '{"a":' } },
        ours: one,
        differs: [
          differs(
            'official-ts',
            'TS-167',
            'failure',
            'The TypeScript SDK skips broken lines, and the session goes on; ours tells a diagnostic.',
          ),
        ],
      }),
    ],
  },
  {
    id: 'PY-081',
    what: 'lines that end in CR LF',
    looks: [
      look(
        launch(
          'output: CR LF',
          {},
          { cli: [USER, { raw: hello.replace('\n', '\r\n') }, { raw: line(result()).replace('\n', '\r\n') }] },
        ),
        { at: SHOWN, both: one },
      ),
    ],
  },
  {
    id: 'PY-082',
    what: 'a last message without a newline is delivered',
    looks: [
      look(
        launch(
          'output: no last newline',
          {},
          { cli: [USER, { raw: hello }, { raw: line(result()).trimEnd() }, { exit: 0 }] },
        ),
        { at: SHOWN, both: one },
      ),
    ],
  },
  {
    id: 'PY-083',
    what: 'a last line that is cut off is dropped',
    looks: [
      look(
        launch(
          'output: last line cut off',
          {},
          { cli: [USER, { raw: hello }, RESULT, { raw: '{"type":"assis' }, { exit: 0 }] },
        ),
        { at: SHOWN, both: one },
      ),
    ],
  },
  {
    id: 'PY-084',
    what: 'a line above the limit, whole or not',
    looks: ['\n', ''].map((newline) =>
      look(
        launch(
          `output: above the limit${newline === '' ? ', unfinished' : ''}`,
          { maxBufferBytes: 5000 },
          { cli: [USER, { raw: hello }, { raw: `${lineOf(6000).trimEnd()}${newline}` }, { wait: 'EOF' }] },
        ),
        {
          at: ['said', 'failure/kind', 'failure/classes', 'end'],
          both: {
            said: ['assistant'],
            failure: { classes: ['CLIJSONDecodeError', 'ClaudeSDKError'], message: '/maximum buffer size of 5000/' },
          },
          // Ours ends it at once, in the middle of its lane.
          ours: { verdict: '$any' },
        },
      ),
    ),
  },
  {
    id: 'PY-085',
    what: 'the limit when none is given',
    looks: [
      look(launch('output: a line of 1 MiB', {}, { cli: [USER, { raw: lineOf(1_048_576) }, RESULT] }), {
        at: SHOWN,
        both: one,
      }),
      look(launch('output: a line of 1 MiB and a character', {}, { cli: [USER, { raw: lineOf(1_048_577) }, RESULT] }), {
        python: { failure: { kind: 'frame_too_large' }, said: [] },
        ours: one,
        differs: [
          differs('official-ts', 'TS-172', 'failure', 'The TypeScript SDK delivers lines of 64 MiB.'),
          differs('official-ts', 'TS-172', 'said', 'The same.'),
        ],
      }),
    ],
  },
  {
    id: 'PY-086',
    what: 'bytes that are no UTF-8',
    looks: [
      look(
        launch(
          'output: no UTF-8',
          {},
          {
            cli: [
              USER,
              {
                bytes: Buffer.from([...Buffer.from('{"type":"x","a":"'), 0xff, ...Buffer.from('"}\n')]).toString(
                  'base64',
                ),
              },
              { raw: hello },
              RESULT,
            ],
          },
        ),
        {
          python: { failure: { class: 'UnicodeDecodeError' } },
          ours: { failure: null, said: ['x', 'assistant', 'result/success'] },
          differs: [
            differs(
              'official-ts',
              'TS-171',
              'failure',
              'The TypeScript SDK puts U+FFFD in its place, and the session goes on.',
            ),
          ],
        },
      ),
    ],
  },
  {
    id: 'PY-087',
    what: "without a `stderr` callback: where the CLI's stderr goes",
    looks: [
      look(launch('output: stderr, nobody asked', {}, { cli: [USER, { stderr: 'from the CLI\n' }, RESULT] }), {
        at: SHOWN,
        python: { hostStderr: 'from the CLI' },
        ours: { hostStderr: '' },
        differs: [
          differs(
            'official-ts',
            'TS-018, TS-166',
            'hostStderr',
            'In the TypeScript SDK it is a pipe, which is drained.',
          ),
        ],
      }),
    ],
  },
  {
    id: 'PY-088',
    what: 'what a `stderr` callback gets',
    looks: [
      look(
        launch(
          'output: stderr in pieces',
          { stderr: { $callback: 'told' } },
          { cli: [USER, { stderr: 'a  \n\n  b\r\npartial' }, { delayMs: 100 }, RESULT] },
        ),
        {
          python: { chunks: ['a', '  b', 'partial'] },
          ours: { chunks: ['a  \n\n  b\r\npartial'] },
          differs: [
            differs(
              'official-ts',
              'TS-166, D-75',
              'chunks',
              'The TypeScript SDK gives chunks as they come, and takes nothing away.',
            ),
          ],
        },
      ),
    ],
  },
  {
    id: 'PY-089',
    what: 'a `stderr` callback that throws is called for later lines all the same',
    looks: [
      look(
        launch(
          'output: stderr callback that throws',
          { stderr: { $callback: 'told' }, $stderrThrows: true },
          { cli: [USER, { stderr: 'one\n' }, { delayMs: 100 }, { stderr: 'two\n' }, { delayMs: 100 }, RESULT] },
        ),
        { at: ['stderr', ...SHOWN], both: { stderr: ['one', 'two'], failure: null } },
      ),
    ],
  },
  {
    id: 'PY-090',
    what: 'stderr text without a newline, beyond the limit, is told before the process ends',
    looks: [
      look(
        {
          ...launch('output: stderr beyond the limit', { stderr: { $callback: 'told' }, maxBufferBytes: 3000 }),
          mode: 'client',
          cli: [{ stderr: 'x'.repeat(4000) }, EOF],
          acts: [{ observe: { what: 'chunk' } }],
        },
        { at: ['chunks', 'missed'], both: { chunks: ['/^x{4000}$/'], missed: [] } },
      ),
    ],
  },
];

const client = (name: string, cli: ProcessProgram['cli'], more: Partial<ProcessProgram> = {}): ProcessProgram => ({
  name,
  mode: 'client',
  cli,
  ...more,
});
/** Sends a message past the prompt of the client, and looks at what the writer is told. */
function late(name: string): readonly Act[] {
  return [{ drive: { command: 'call', method: 'query', args: [name] }, as: name }, { reply: name }];
}

const failed = (name: string): readonly string[] => ['kind', 'classes'].map((field) => `calls/${name}/error/${field}`);
const refusal = (name: string, message: string): Json => ({
  calls: { [name]: { error: { kind: 'closed', classes: CONNECTION, message } } },
});
const words = (name: string) =>
  differs(
    'official-ts',
    'TS-109',
    `calls/${name}/error/message`,
    'As in the TypeScript SDK a method of a session that is over rejects; the text says what it was that ended.',
  );
const STOP =
  'A run that is ended at work is told to stop before its input ends; Python ends the input and lets the turn go on.';
const CONNECTION = ['CLIConnectionError', 'ClaudeSDKError'];
const ladder = { mode: 'client', options: {}, timeScale: 5 } as const;
const EXIT = ['exit/signals', 'exit/after', 'exit/sawEof', 'exit/code', 'exit/killed'];

/** Writing, the exit, the way a process is ended. */
const endRows: readonly Row<ProcessProgram>[] = [
  {
    id: 'PY-091',
    what: 'ten writes at once are not interleaved',
    looks: [
      look(
        client('writes: ten at once', [...Array.from({ length: 10 }, () => USER), EOF], {
          acts: Array.from({ length: 10 }, (_, at) => ({
            drive: { command: 'send', content: `${at}${'x'.repeat(70_000)}` },
          })),
        }),
        {
          at: ['verdict', 'order'],
          both: { verdict: 'passed' },
          ours: {
            order: ['request initialize', ...Array.from({ length: 10 }, () => 'user'), 'request interrupt', 'EOF'],
          },
          differs: [differs('safety', 'D-190', 'order', STOP)],
        },
      ),
    ],
  },
  {
    id: 'PY-092',
    what: 'writing after the input ended',
    looks: [
      look(
        client('writes: after the end of the input', [USER, EOF, { mark: 'ended' }, { gate: 'go' }], {
          stream: true,
          acts: [
            { drive: { command: 'send', content: 'first' }, as: 'first' },
            { reply: 'first' },
            { drive: { command: 'end_input' } },
            { reached: 'ended' },
            ...late('late'),
            { open: 'go' },
          ],
        }),
        {
          at: failed('late'),
          python: refusal('late', 'ProcessTransport is not ready for writing'),
          ours: refusal('late', 'ProcessTransport is not ready for writing: the input has ended'),
          differs: [words('late')],
        },
      ),
    ],
  },
  {
    id: 'PY-093',
    what: 'writing to a CLI that has left with 0',
    looks: [
      look(
        client('writes: to a CLI that has left', [USER, RESULT, { exit: 0 }], {
          acts: [{ drive: { command: 'send', content: 'first' } }, { observe: { what: 'end' } }, ...late('late')],
        }),
        {
          at: failed('late'),
          python: refusal('late', 'Cannot write to terminated process (exit code: 0)'),
          ours: refusal('late', 'ProcessTransport is not ready for writing: Claude Code exited with code 0'),
          differs: [words('late')],
        },
      ),
    ],
  },
  {
    id: 'PY-094',
    what: 'writing to a CLI that closed its input but lives',
    looks: [
      look(
        client(
          'writes: to a closed pipe',
          [USER, { stdin: 'close' }, { mark: 'closed' }, { gate: 'go' }, { wait: 'SIGTERM' }],
          {
            timeScale: 5,
            acts: [
              { drive: { command: 'send', content: 'first' } },
              { reached: 'closed' },
              ...late('late'),
              ...late('later'),
              { open: 'go' },
            ],
          },
        ),
        {
          at: failed('later'),
          // It is ended by a signal.
          both: { verdict: 'none' },
          python: {
            calls: {
              late: { error: { message: '/^Failed to write to process stdin/' } },
              later: { error: { message: 'ProcessTransport is not ready for writing' } },
            },
          },
          ours: {
            calls: {
              late: { result: null },
              later: { error: { message: '/^ProcessTransport is not ready for writing/' } },
            },
          },
          differs: [
            differs(
              'official-ts',
              'TS-098',
              'calls/late',
              'As in the TypeScript SDK a message is handed over, not confirmed: that the pipe is closed is known when the next one is sent.',
            ),
            words('later'),
          ],
        },
      ),
    ],
  },
  {
    id: 'PY-095',
    what: 'a bad exit after a clean result: the result, then an error with the code',
    looks: [
      look(launch('exit: 3 after a result', {}, { cli: [...TURN, { exit: 3 }] }), {
        at: ['said', 'failure/kind', 'failure/classes', 'failure/exit_code'],
        both: { said: ['result/success'], failure: { exit_code: 3, classes: ['ProcessError', 'ClaudeSDKError'] } },
      }),
    ],
  },
  {
    id: 'PY-096',
    what: 'death by a signal',
    looks: [
      look(launch('exit: SIGKILL', {}, { cli: [USER, { kill: 'SIGKILL' }] }), {
        at: ['said', 'failure/kind', 'failure/classes', 'failure/signal'],
        both: { failure: { kind: 'process_exit', signal: 'SIGKILL' } },
        python: { failure: { exit_code: -9 } },
        ours: { failure: { exit_code: '$absent' } },
        differs: [
          differs(
            'official-ts',
            'TS-153',
            'failure/exit_code',
            'The TypeScript SDK names the signal; there is no exit code after one.',
          ),
        ],
      }),
    ],
  },
  {
    id: 'PY-097',
    what: 'a CLI that leaves at the end of its input gets no signal',
    looks: [
      look(
        { name: 'end: leaves at EOF', ...ladder, cli: [] },
        { at: EXIT, both: { exit: { signals: [], sawEof: true, code: 0 } } },
      ),
    ],
  },
  {
    id: 'PY-098',
    what: 'one that does not gets SIGTERM 5 s later',
    looks: [
      look(
        { name: 'end: ignores EOF', ...ladder, cli: [{ ignore: ['EOF'] }] },
        { name: 'client', at: EXIT, both: { exit: { signals: ['SIGTERM'], after: [5] } } },
      ),
      look(
        {
          name: 'end: query ignores EOF',
          mode: 'query',
          prompt: 'Hi',
          timeScale: 5,
          last: 'break',
          cli: [USER, { ignore: ['EOF'] }, { out: assistant('a') }, { wait: 'SIGTERM' }],
          acts: [{ observe: { what: 'message' } }],
        },
        {
          name: 'query',
          at: ['exit/signals'],
          both: { verdict: 'none' },
          python: { exit: { signals: ['SIGTERM'], after: [5] } },
          ours: { exit: { signals: ['SIGTERM'], after: [2] } },
          differs: [
            differs(
              'official-ts',
              'TS-158, TS-159',
              'exit/after',
              'In the TypeScript SDK `query()` waits 2 s; `ClaudeClient` waits 5 s, as Python does.',
            ),
          ],
        },
      ),
    ],
  },
  {
    id: 'PY-099',
    what: 'one that ignores that too is killed 5 s later',
    looks: [
      look(
        {
          name: 'end: ignores EOF and SIGTERM',
          ...ladder,
          cli: [{ ignore: ['EOF', 'SIGTERM'] }],
          acts: [{ drive: { command: 'close' }, as: 'closed' }, { reply: 'closed' }],
        },
        {
          // A process that is killed says nothing: `close` returns when it is gone.
          at: [...EXIT, 'took/closed'],
          both: {
            exit: { signals: ['SIGTERM'], after: [5], killed: true, code: null },
            took: { closed: 10 },
            verdict: 'none',
          },
        },
      ),
    ],
  },
  {
    id: 'PY-100',
    what: 'a CLI that has gone already: no wait, no signal',
    looks: [
      look(
        {
          name: 'end: has gone already',
          mode: 'client',
          cli: [USER, RESULT, { exit: 0 }],
          acts: [{ drive: { command: 'send', content: 'Hi' } }, { observe: { what: 'end' } }],
        },
        { at: ['exit/signals', 'exit/code', 'end'], both: { exit: { signals: [], code: 0 }, end: 'end' } },
      ),
    ],
  },
  {
    id: 'PY-101',
    what: 'cancelled while closing, the child is ended all the same',
    looks: [
      look(
        {
          name: 'end: cancelled while closing',
          ...ladder,
          cli: [{ ignore: ['EOF'] }],
          acts: [{ drive: { command: 'close' }, as: 'closed' }, { drive: { command: 'abort' } }, { reply: 'closed' }],
        },
        {
          at: ['exit/signals', 'exit/after'],
          both: { exit: { signals: ['SIGTERM'] } },
          python: { calls: { closed: { error: { kind: 'aborted' } } } },
          ours: { calls: { closed: { result: null } } },
        },
      ),
    ],
  },
  {
    id: 'PY-102',
    what: 'a host that ends without closing: its children get SIGTERM',
    looks: [
      look(
        {
          name: 'end: the host exits',
          mode: 'client',
          cli: [{ ignore: ['EOF'] }],
          acts: [{ drive: { command: 'call', method: 'exit' }, as: 'gone' }, { reply: 'gone' }],
        },
        { at: ['exit/signals'], both: { exit: { signals: ['SIGTERM'] } } },
      ),
    ],
  },
];
export const transportRows: readonly Row<ProcessProgram>[] = [
  ...spawnRows,
  ...probeRows,
  ...envRows,
  ...outputRows,
  ...endRows,
];
