import type { Json, Look, Row } from '../harness/row.js';
import { differs, pureLook, type Stated } from '../pure/looks.js';
import type { FileSpec, PureCall, PureProgram, StoreSpec } from '../pure/program.js';
import {
  assistant,
  call,
  HI,
  OTHER,
  SESSION,
  sessionId,
  TURN,
  tag,
  title,
  transcript,
  user,
  uuid,
} from '../pure/transcripts.js';

type StoreRow = Row<PureProgram>;

/** One session under the key of the working directory. */
const ONE: StoreSpec = { sessions: { [SESSION]: { mtime: 5, entries: TURN } } };
const AT = { dir: '/w' };
const KEY = { projectKey: '-w', sessionId: SESSION };

const asked = (method: string, key: Json): Json => ({ method, key });

/** A run beside a CLI that shows what it was started with. */
function run(
  name: string,
  given: Omit<Extract<PureCall, { readonly op: 'run' }>, 'op'>,
  stated: Stated,
): Look<PureProgram> {
  return pureLook(`run: ${name}`, [{ op: 'run', ...given }], { at: [], ...stated });
}

const spawned = 'results/0/spawned';
const flags = 'results/0/flags';
const error = 'results/0/error';
const folder = 'results/0/folderFiles';
const resume = { resume: SESSION };
const NORMAL = { spawned: true, folder: '<root>/config' };

/** What lies in the user's configuration folder. */
const CONFIG: readonly FileSpec[] = [
  { path: 'config/.credentials.json', content: '{"claudeAiOauth":{"accessToken":"a","refreshToken":"r"},"other":1}' },
  { path: 'config/.claude.json', content: '{"userID":"u"}' },
  {
    path: 'config/settings.json',
    content:
      '{"enabledPlugins":{"a":true},"extraKnownMarketplaces":{},"env":{"CLAUDE_CONFIG_DIR":"/x","A":"b"},"model":"m"}',
  },
];

const SUBAGENT: readonly Json[] = [
  user(11, null, 'task', { isSidechain: true }),
  { type: 'agent_metadata', agentType: 'x', toolUseId: 't' },
];
const WITH_SUBAGENT: StoreSpec = {
  sessions: { [SESSION]: { mtime: 5, entries: TURN, below: { 'subagents/agent-a': SUBAGENT } } },
};

const folded = (name: string, batches: readonly (readonly Json[])[], data: Json): Look<PureProgram> =>
  pureLook(`fold: ${name}`, [{ op: 'fold', batches }], {
    both: { results: [{ sessionId: 's', mtime: 0, data, changesPrevious: false }] },
  });

export const storeRows: readonly StoreRow[] = [
  {
    id: 'PY-306',
    what: '`continue_conversation` with a store that cannot list is a value error before a spawn; with `resume` it is fine.',
    looks: [
      run(
        'continue without listSessions',
        { options: { continue: true }, store: { ...ONE, methods: ['append', 'load'] } },
        { at: [spawned, error], both: { results: [{ spawned: false, error: 'value', calls: [] }] } },
      ),
      run(
        'resume without listSessions',
        { options: { continue: true, ...resume }, store: { ...ONE, methods: ['append', 'load'] } },
        {
          at: [spawned, flags, error],
          both: { results: [{ spawned: true, flags: [`--resume=${SESSION}`], error: '$absent' }] },
        },
      ),
    ],
  },
  {
    id: 'PY-307',
    what: 'A store together with file checkpointing is a value error before a spawn.',
    looks: [
      run(
        'file checkpointing',
        { options: { enableFileCheckpointing: true }, store: ONE },
        { at: [spawned, error], both: { results: [{ spawned: false, error: 'value', calls: [] }] } },
      ),
    ],
  },
  {
    id: 'PY-308',
    what: 'A resumed session from a store is started with a temporary `CLAUDE_CONFIG_DIR` and `--resume=<id>`, without `--continue`.',
    looks: [
      run(
        'resume',
        { options: resume, store: ONE },
        {
          at: [spawned, flags, 'results/0/folder', 'results/0/messages', error],
          both: {
            results: [
              { spawned: true, flags: [`--resume=${SESSION}`], folder: '<temp>', messages: ['system', 'result'] },
            ],
          },
        },
      ),
      run(
        'continue',
        { options: { continue: true }, store: ONE },
        {
          at: [spawned, flags, 'results/0/folder'],
          both: { results: [{ spawned: true, flags: [`--resume=${SESSION}`], folder: '<temp>' }] },
        },
      ),
    ],
  },
  {
    id: 'PY-309',
    what: 'The temporary folder holds the transcript (0600), credentials without the refresh token, `.claude.json`, filtered settings, and subagents with their metadata.',
    looks: [
      run(
        'the temporary folder',
        { options: resume, store: WITH_SUBAGENT, cli: { showsFolder: true } },
        {
          files: CONFIG,
          at: [folder],
          both: {
            results: [
              {
                folderFiles: [
                  { path: '.claude.json', lines: [{ userID: 'u' }] },
                  {
                    path: '.credentials.json',
                    mode: '600',
                    lines: [{ claudeAiOauth: { accessToken: 'a', refreshToken: '$absent' }, other: 1 }],
                  },
                  {
                    path: `projects/<root-key>-work/${SESSION}/subagents/agent-a.jsonl`,
                    mode: '600',
                    lines: [{ uuid: uuid(11) }],
                  },
                  {
                    path: `projects/<root-key>-work/${SESSION}/subagents/agent-a.meta.json`,
                    lines: [{ agentType: 'x', toolUseId: 't', type: '$absent' }],
                  },
                  { path: `projects/<root-key>-work/${SESSION}.jsonl`, mode: '600', lines: TURN },
                  {
                    path: 'settings.json',
                    lines: [
                      {
                        model: 'm',
                        env: { A: 'b', CLAUDE_CONFIG_DIR: '$absent' },
                        enabledPlugins: '$absent',
                        extraKnownMarketplaces: '$absent',
                      },
                    ],
                  },
                ],
              },
            ],
          },
        },
      ),
    ],
  },
  {
    id: 'PY-310',
    what: 'When the store has nothing, or `resume` is no UUID, the start is a normal one with unchanged flags.',
    looks: [
      run(
        'an empty store',
        { options: { resume: OTHER }, store: ONE },
        { at: [spawned, flags, 'results/0/folder', error], both: { results: [NORMAL] } },
      ),
      run(
        'resume by a name',
        { options: { resume: 'my-session' }, store: ONE },
        {
          at: [spawned, flags, 'results/0/folder', 'results/0/calls'],
          both: { results: [{ ...NORMAL, flags: ['--resume=my-session'], calls: [] }] },
        },
      ),
      run(
        'continue, and nothing is listed',
        { options: { continue: true }, store: {} },
        {
          at: [spawned, flags, 'results/0/folder', error],
          both: { results: [NORMAL] },
          differs: [
            differs(
              'official-ts',
              'TS-180',
              flags,
              'With a store `--continue` is never sent: it would go on with the newest of the CLI’s own files. An empty store means a new session, as in the TypeScript SDK.',
              [],
            ),
          ],
        },
      ),
    ],
  },
  {
    id: 'PY-311',
    what: '`continue_conversation` takes the newest session that is no sidechain; of equal times the store’s order decides.',
    looks: [
      run(
        'continue the newest',
        {
          options: { continue: true },
          store: {
            sessions: {
              [sessionId(1)]: { mtime: 1, entries: TURN },
              [sessionId(2)]: { mtime: 3, entries: TURN },
              [sessionId(3)]: { mtime: 3, entries: TURN },
              [sessionId(4)]: { mtime: 5, entries: [user(1, null, 'x', { isSidechain: true })] },
              [sessionId(5)]: { mtime: 6, entries: [] },
              'not-a-uuid': { mtime: 9, entries: TURN },
            },
          },
        },
        { at: [spawned, flags], both: { results: [{ spawned: true, flags: [`--resume=${sessionId(2)}`] }] } },
      ),
    ],
  },
  {
    id: 'PY-312',
    what: 'Unsafe subpaths are never loaded and never written.',
    looks: [
      run(
        'unsafe subpaths',
        {
          options: resume,
          store: {
            sessions: {
              [SESSION]: {
                mtime: 5,
                entries: TURN,
                below: Object.fromEntries(
                  [
                    'subagents/agent-a',
                    '../escape',
                    '/absolute',
                    '',
                    'a/../../b',
                    './a',
                    'a/./b',
                    'C:/x',
                    '\\\\host\\share',
                    'a\0b',
                    '..',
                  ].map((path) => [path, SUBAGENT]),
                ),
              },
            },
          },
        },
        {
          at: [spawned, 'results/0/calls'],
          both: {
            results: [
              {
                spawned: true,
                calls: [
                  asked('load', { sessionId: SESSION, subpath: '$absent' }),
                  { method: 'listSubkeys' },
                  asked('load', { sessionId: SESSION, subpath: 'subagents/agent-a' }),
                ],
              },
            ],
          },
        },
      ),
    ],
  },
  {
    id: 'PY-313',
    what: 'A store call that is too slow or fails is an error that names it; no temporary folder stays, nothing is started.',
    looks: [
      run(
        'a load that fails',
        { options: resume, store: { ...ONE, fails: { load: 'boom' } } },
        {
          at: [spawned, error, 'left'],
          both: {
            results: [{ spawned: false, error: 'store' }],
            texts: ['/SessionStore\\.load\\(\\).*boom/s'],
            left: [],
          },
        },
      ),
      run(
        'a load that is too slow',
        { options: { ...resume, loadTimeoutMs: 40 }, store: { ...ONE, delayMs: { load: 3000 } } },
        {
          at: [spawned, error, 'left'],
          both: {
            results: [{ spawned: false, error: 'store' }],
            texts: ['/SessionStore\\.load\\(\\).*40 ?ms/s'],
            left: [],
          },
        },
      ),
      run(
        'a listing of subkeys that fails',
        { options: resume, store: { ...WITH_SUBAGENT, fails: { listSubkeys: 'boom' } } },
        {
          at: [spawned, error, 'left'],
          both: { results: [{ spawned: false, error: 'store' }], texts: ['/listSubkeys|list_subkeys/'], left: [] },
        },
      ),
      run(
        'a listing of sessions that fails',
        { options: { continue: true }, store: { ...ONE, fails: { listSessions: 'boom' } } },
        {
          at: [spawned, error, 'left'],
          both: { results: [{ spawned: false, error: 'store' }], texts: ['/list_?[sS]essions.*boom/s'], left: [] },
        },
      ),
    ],
  },
  {
    id: 'PY-314',
    what: 'The temporary folder is removed at every end, after the CLI has gone.',
    looks: [
      run(
        'a run to its end',
        { options: resume, store: ONE },
        {
          at: ['left', 'results/0/alive', 'results/0/messages'],
          both: { left: [], results: [{ alive: [false], folder: '<temp>', messages: ['system', 'result'] }] },
        },
      ),
      run(
        'an early break',
        { options: resume, store: ONE, breakAt: 1 },
        {
          at: ['left', 'results/0/alive', 'results/0/messages'],
          both: { left: [], results: [{ alive: [false], folder: '<temp>', messages: ['system'] }] },
        },
      ),
      run(
        'a CLI that is not there',
        { options: resume, store: ONE, cli: { isAbsent: true } },
        { at: ['left', spawned, error], both: { left: [], results: [{ spawned: false }] } },
      ),
      run(
        'a CLI that ends at once',
        { options: resume, store: ONE, cli: { exitAtStart: 1 } },
        { at: ['left', spawned, error], both: { left: [], results: [{ spawned: true, folder: '<temp>' }] } },
      ),
    ],
  },
  {
    id: 'PY-315',
    what: 'A listing with fresh summaries loads nothing; stale and missing ones are loaded, on the page only.',
    looks: [
      pureLook(
        'fresh summaries',
        [
          call('listSessions', AT, {
            sessions: {
              [sessionId(1)]: { mtime: 1, summaryMtime: 1, entries: [HI, title('one')] },
              [sessionId(2)]: { mtime: 2, summaryMtime: 2, entries: [HI, title('two')] },
            },
          }),
        ],
        {
          both: {
            results: [
              {
                value: [{ summary: 'two' }, { summary: 'one' }],
                calls: [{ method: 'listSessionSummaries' }, { method: 'listSessions' }],
              },
            ],
          },
        },
      ),
      pureLook(
        'stale and missing summaries',
        [{ limit: 2 }, { limit: 1 }, {}].map((page) =>
          call(
            'listSessions',
            { ...AT, ...page },
            {
              sessions: {
                [sessionId(1)]: { mtime: 9, summaryMtime: 5, entries: [HI, title('stale')] },
                [sessionId(2)]: { mtime: 8, entries: [HI, title('missing')] },
                [sessionId(3)]: { mtime: 7, summaryMtime: 7, entries: [HI, title('fresh')] },
                [sessionId(4)]: { mtime: 6, entries: [HI, title('far')] },
                [sessionId(5)]: { mtime: 5, summaryMtime: 5, isListed: false, entries: [HI] },
              },
            },
          ),
        ),
        {
          at: ['results'],
          both: {
            results: [
              { value: [{ summary: 'stale' }, { summary: 'missing' }] },
              { value: [{ summary: 'stale' }] },
              { value: [{ summary: 'stale' }, { summary: 'missing' }, { summary: 'fresh' }, { summary: 'far' }] },
            ],
          },
        },
      ),
    ],
  },
  {
    id: 'PY-316',
    what: 'Without summaries at most 16 sessions are loaded at once; one that fails has a row with an empty summary.',
    looks: [
      pureLook(
        'forty sessions',
        [
          call('listSessions', AT, {
            methods: ['append', 'load', 'listSessions'],
            delayMs: { load: 5 },
            fails: { [`load ${sessionId(7)}`]: 'boom' },
            sessions: Object.fromEntries(
              Array.from({ length: 40 }, (_, n) => [
                sessionId(n),
                { mtime: n, entries: [user(1, null, `prompt ${n}`)] },
              ]),
            ),
          }),
        ],
        { at: ['results/0/value', 'results/0/mostAtOnce'], both: { results: [{ mostAtOnce: 16 }] } },
      ),
    ],
  },
  {
    id: 'PY-317',
    what: 'Listing needs a listing method, and listing subagents `list_subkeys`; else a value error.',
    looks: [
      pureLook(
        'stores that cannot list',
        [
          call('listSessions', AT, { methods: ['append', 'load'] }),
          call('listSubagents', { sessionId: SESSION, ...AT }, { methods: ['append', 'load'] }),
        ],
        {
          both: {
            results: [
              { error: 'value', calls: [] },
              { error: 'value', calls: [] },
            ],
          },
        },
      ),
    ],
  },
  {
    id: 'PY-318',
    what: 'Deleting from a store without `delete` does nothing; reading and changing go by the store.',
    looks: [
      pureLook(
        'deleting from a store',
        [
          call('deleteSession', { sessionId: SESSION, ...AT }, { ...ONE, methods: ['append', 'load'] }),
          call('deleteSession', { sessionId: SESSION, ...AT }, ONE),
        ],
        { both: { results: [{ error: '$absent', calls: [] }, { calls: [asked('delete', KEY)] }] } },
      ),
      pureLook(
        'reading and changing in a store',
        [
          call('getSessionInfo', { sessionId: SESSION, ...AT }, ONE),
          call('getSessionInfo', { sessionId: 'nope', ...AT }, ONE),
          call('listSubagents', { sessionId: SESSION, ...AT }, WITH_SUBAGENT),
          call('renameSession', { sessionId: SESSION, title: ' T ', ...AT }, ONE),
          call('tagSession', { sessionId: SESSION, tag: null, ...AT }, ONE),
          call('renameSession', { sessionId: SESSION, title: ' ', ...AT }, ONE),
          call('forkSession', { sessionId: OTHER, ...AT }, ONE),
        ],
        {
          at: ['results/1', 'results/2', 'results/3', 'results/4', 'results/5', 'results/6/error'],
          both: {
            results: [
              { value: { summary: 'hi' } },
              { value: null, calls: [] },
              { value: ['a'] },
              {
                calls: [
                  { method: 'append', entries: [{ customTitle: 'T', uuid: '/^<id \\d+>$/', timestamp: '<time>' }] },
                ],
              },
              { calls: [{ method: 'append', entries: [{ type: 'tag', tag: '' }] }] },
              { error: 'value' },
              { error: 'not-found' },
            ],
          },
        },
      ),
    ],
  },
  {
    id: 'PY-319',
    what: 'Folding a summary changes nothing in the previous one and takes no `mtime` from entries.',
    looks: [
      folded(
        'a conversation in two batches',
        [
          [HI, assistant(2, 1, 'x', { gitBranch: 'a' })],
          [title('T'), tag('t'), { type: 'last-prompt', lastPrompt: 'LP' }],
        ],
        {
          isSidechain: false,
          createdAt: 1_767_225_601_000,
          cwd: '/w',
          firstPrompt: 'hi',
          customTitle: 'T',
          lastPrompt: 'LP',
          gitBranch: 'a',
          tag: 't',
        },
      ),
      folded('a tag taken back', [[HI, tag('t')], [tag('')]], { tag: '$absent' }),
      folded(
        'firsts and lasts',
        [
          [
            user(1, null, '<command-name>/foo</command-name>', { isSidechain: true, gitBranch: 'a' }),
            { type: 'summary', summary: 'S' },
            { type: 'ai-title', aiTitle: 'AI' },
          ],
          [user(2, 1, 'second', { cwd: '/v', gitBranch: 'b', isSidechain: false })],
        ],
        {
          isSidechain: true,
          commandFallback: '/foo',
          firstPrompt: 'second',
          cwd: '/w',
          gitBranch: 'b',
          summaryHint: 'S',
          aiTitle: 'AI',
        },
      ),
      pureLook(
        'fold: a previous summary',
        [
          {
            op: 'fold',
            prev: { mtime: 7, data: { customTitle: 'old', cwd: '/first' } },
            batches: [[title('new'), { ...HI, timestamp: '2030-01-01T00:00:00.000Z' }]],
          },
        ],
        { both: { results: [{ mtime: 7, changesPrevious: false, data: { customTitle: 'new', cwd: '/first' } }] } },
      ),
    ],
  },
  {
    id: 'PY-320',
    what: 'An import appends entries in order and in batches under the folder’s key, with subagents and sidecars unless switched off.',
    looks: [
      pureLook(
        'import',
        [
          call('importSessionToStore', { sessionId: SESSION, ...AT }, {}),
          call('importSessionToStore', { sessionId: SESSION, ...AT, batchSize: 3 }, {}),
          call('importSessionToStore', { sessionId: SESSION, ...AT, includeSubagents: false }, {}),
          call('importSessionToStore', { sessionId: OTHER, ...AT }, {}),
          call('importSessionToStore', { sessionId: 'nope', ...AT }, {}),
          call('importSessionToStore', { sessionId: SESSION, ...AT, batchSize: 0 }, {}),
        ],
        {
          files: [
            transcript(TURN),
            {
              path: `config/projects/-w/${SESSION}/subagents/agent-a.jsonl`,
              content: [user(11, null, 'task', { isSidechain: true })],
            },
            {
              path: `config/projects/-w/${SESSION}/subagents/agent-a.meta.json`,
              content: '{"toolUseId":"toolu_1","type":"stray"}',
            },
            {
              path: `config/projects/-w/${SESSION}/subagents/deep/run/agent-b.jsonl`,
              content: [user(21, null, 'task', { isSidechain: true }), ''],
            },
          ],
          both: {
            results: [
              {
                calls: [
                  { key: KEY, entries: TURN.map(({ uuid: id }) => ({ uuid: id as Json })) },
                  { key: { subpath: 'subagents/agent-a' }, entries: [{ uuid: uuid(11) }] },
                  {
                    key: { subpath: 'subagents/agent-a' },
                    entries: [{ type: 'agent_metadata', toolUseId: 'toolu_1' }],
                  },
                  { key: { subpath: 'subagents/deep/run/agent-b' } },
                ],
              },
              { calls: [{ entries: ['$any', '$any', '$any'] }, { entries: ['$any'] }, '$any', '$any', '$any'] },
              { calls: ['$any'] },
              { error: 'not-found', calls: [] },
              { error: 'value', calls: [] },
              { calls: ['$any', '$any', '$any', '$any'] },
            ],
          },
        },
      ),
      pureLook('import of a session found elsewhere', [call('importSessionToStore', { sessionId: SESSION }, {})], {
        files: [transcript([HI], { project: '-other-place' })],
        python: { results: [{ calls: [{ key: { projectKey: '-other-place' } }] }] },
        ours: { results: [{ calls: [{ key: { projectKey: '<cwd-key>' } }] }] },
        differs: [
          differs(
            'official-ts',
            'TS-184',
            'results/0/calls/0/key/projectKey',
            'The key is that of `dir`, or of the working directory, which is where a later `resume` looks; Python’s is the name of the folder that the file was found in.',
          ),
        ],
      }),
    ],
  },
  {
    id: 'PY-321',
    what: 'The in-memory store keeps the contract of stores.',
    looks: [
      pureLook('the contract', [{ op: 'contract' }], { both: { results: [{ passes: true }] } }),
      pureLook(
        'the in-memory store',
        [
          {
            op: 'memoryStore',
            steps: [
              ['load', KEY],
              ['append', KEY, [HI]],
              ['append', KEY, [assistant(2, 1, 'x')]],
              ['append', { ...KEY, subpath: 'subagents/agent-a' }, [HI]],
              ['append', { projectKey: '-w', sessionId: OTHER }, [HI]],
              ['append', { projectKey: '-v', sessionId: OTHER }, [HI]],
              ['load', KEY],
              ['size'],
              ['listSessions', '-w'],
              ['listSessionSummaries', '-w'],
              ['listSubkeys', KEY],
              ['getEntries', { projectKey: '-x', sessionId: OTHER }],
              ['delete', KEY],
              ['load', { ...KEY, subpath: 'subagents/agent-a' }],
              ['listSessions', '-w'],
              ['clear'],
              ['size'],
            ],
          },
          { op: 'aliasing' },
        ],
        { both: { results: ['$any', { stored: 1 }] } },
      ),
    ],
  },
];
