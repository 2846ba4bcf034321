import type { Step } from '../../../../src/testing/scenario/scenario-types.js';
import type { JsonObject } from '../../../../src/util/json.js';
import type { ProcessProgram } from '../harness/program.js';
import type { Json, Row } from '../harness/row.js';
import { differs, EOF, launch, look, RESULT, USER } from './steps.js';

const SESSION = '11111111-2222-4333-8444-555555555555';
const MAIN = `/cfg/projects/k/${SESSION}.jsonl`;
const env = { CLAUDE_CONFIG_DIR: '/cfg' };
const entry = (at: number): JsonObject => ({ type: 'user', uuid: `u${at}` });
const mirror = (filePath: string, ...entries: readonly JsonObject[]): Step => ({
  out: { type: 'transcript_mirror', filePath, entries },
});
const store = { sessionStore: { $store: 'memory', before: { append: { $callback: 'append' } } } };

function run(
  name: string,
  cli: readonly Step[],
  more: Partial<ProcessProgram> = {},
  options: JsonObject = {},
): ProcessProgram {
  return launch(`mirror: ${name}`, { env, ...store, ...options }, { cli: [USER, ...cli], ...more });
}

const held = (entries: readonly JsonObject[], subpath?: string): Json => [
  {
    key: { projectKey: 'k', sessionId: SESSION, ...(subpath === undefined ? {} : { subpath }) },
    entries: entries as Json,
  },
];
const failing = (...throws: readonly (string | null)[]): Partial<ProcessProgram> => ({
  callbacks: { append: { throws } },
});
const ERROR = 'message system/mirror_error';

/** What the CLI says of its transcript, and what of it reaches a store. */
export const mirrorRows: readonly Row<ProcessProgram>[] = [
  {
    id: 'PY-150',
    what: 'entries reach the store under their key, and are not delivered',
    looks: [
      look(run('one frame', [mirror(MAIN, entry(1), entry(2)), RESULT]), {
        at: ['store', 'said'],
        both: { store: held([entry(1), entry(2)]), said: ['result/success'] },
      }),
    ],
  },
  {
    id: 'PY-151',
    what: 'without a store they are dropped',
    looks: [
      look(launch('mirror: no store', { env }, { cli: [USER, mirror(MAIN, entry(1)), RESULT] }), {
        at: ['said', 'failure', 'end'],
        both: { said: ['result/success'], failure: null },
      }),
    ],
  },
  {
    id: 'PY-152',
    what: 'a result comes after the entries before it are stored',
    looks: [
      look(run('before the result', [mirror(MAIN, entry(1)), RESULT]), {
        at: ['happened'],
        both: { happened: ['callback append', 'message result/success', 'end'] },
      }),
    ],
  },
  {
    id: 'PY-153',
    what: 'entries after the last result are stored when the run has ended',
    looks: [
      look(run('after the result', [RESULT, mirror(MAIN, entry(1))]), {
        at: ['store', 'happened'],
        both: { store: held([entry(1)]) },
      }),
    ],
  },
  {
    id: 'PY-154',
    what: 'several frames of one file are one append, in order',
    looks: [
      look(run('three frames', [mirror(MAIN, entry(1)), mirror(MAIN, entry(2)), mirror(MAIN, entry(3)), RESULT]), {
        at: ['store', 'callbacks'],
        both: { callbacks: [{ name: 'append', input: { entries: [entry(1), entry(2), entry(3)] as Json } }] },
      }),
    ],
  },
  {
    id: 'PY-155',
    what: 'many entries, much text, or the eager mode: stored without waiting for a result',
    looks: [
      { name: '501 entries', entries: Array.from({ length: 501 }, (_, at) => entry(at)), options: {} },
      {
        name: 'more than 1 MiB',
        entries: [{ type: 'user', text: 'x'.repeat(1_100_000) }],
        options: { maxBufferBytes: 4_000_000 },
      },
      { name: 'eager', entries: [entry(1)], options: { sessionStoreFlush: 'eager' } },
    ].map(({ name, entries, options }) =>
      look(
        {
          ...run(name, [mirror(MAIN, ...entries), EOF], {}, options),
          mode: 'client',
          acts: [{ observe: { what: 'callback', name: 'append' } }],
        },
        { at: ['missed', 'callbacks/0/name'], both: { missed: [], callbacks: [{ name: 'append' }] } },
      ),
    ),
  },
  {
    id: 'PY-156',
    what: 'an append that fails three times: a message says so before the result, and the run goes on',
    looks: [
      look(run('three failures', [mirror(MAIN, entry(1)), RESULT], failing('down')), {
        at: ['happened', 'failure'],
        both: {
          happened: [
            ...['callback append', 'callback append', 'callback append'],
            ...[ERROR, 'message result/success', 'end'],
          ],
          messages: [{ subtype: 'mirror_error', error: '/down/' }, '$any'],
        },
      }),
    ],
  },
  {
    id: 'PY-157',
    what: 'one that fails once is tried again, and nothing is said',
    looks: [
      look(run('one failure', [mirror(MAIN, entry(1)), RESULT], failing('down', null)), {
        at: ['happened', 'store'],
        both: {
          happened: ['callback append', 'callback append', 'message result/success', 'end'],
          store: held([entry(1)]),
        },
      }),
    ],
  },
  {
    id: 'PY-158',
    what: 'one that is slower than 60 s is not tried again',
    looks: [
      look(
        run('too slow', [mirror(MAIN, entry(1)), RESULT], {
          callbacks: { append: { waitFor: 'never' } },
          timeScale: 30,
        }),
        {
          at: ['happened', 'failure'],
          python: { messages: [{ subtype: 'mirror_error', error: '' }, '$any'] },
          ours: { messages: [{ subtype: 'mirror_error', error: '/60000|timed out|60 s/' }, '$any'] },
          differs: [
            differs(
              'python-defect',
              'D11',
              'messages/0/error',
              'The message says what happened; in Python its text is empty.',
            ),
          ],
        },
      ),
    ],
  },
  {
    id: 'PY-159',
    what: 'a transcript outside the folder is not stored',
    looks: [
      look(run('no transcript at all', [mirror('/elsewhere/x.jsonl', entry(1)), RESULT]), {
        at: ['store', 'callbacks', 'said', 'failure', 'end'],
        both: { store: [], callbacks: [], said: ['result/success'] },
      }),
      look(run('a foreign transcript', [mirror(`/elsewhere/projects/k/${SESSION}.jsonl`, entry(1)), RESULT]), {
        at: ['store', 'callbacks', 'failure', 'end'],
        both: { store: [], callbacks: [] },
        python: { said: ['result/success'] },
        ours: { said: ['system/mirror_error', 'result/success'] },
        differs: [
          differs('safety', 'D-173', 'said', 'A message says so, once for each transcript: nothing is lost unsaid.'),
        ],
      }),
    ],
  },
  {
    id: 'PY-160',
    what: 'the key of a subagent in a folder below',
    looks: [
      look(
        run('a subagent', [mirror(`/cfg/projects/k/${SESSION}/subagents/workflows/r/agent-x.jsonl`, entry(1)), RESULT]),
        { at: ['store'], both: { store: held([entry(1)], 'subagents/workflows/r/agent-x') } },
      ),
    ],
  },
];
