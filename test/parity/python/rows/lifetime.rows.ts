import type { Step } from '../../../../src/testing/scenario/scenario-types.js';
import type { JsonObject } from '../../../../src/util/json.js';
import type { ProcessProgram } from '../harness/program.js';
import type { Row } from '../harness/row.js';
import { asked, differs, EOF, launch, look, RESULT, USER } from './steps.js';

const hooks = { hooks: { Stop: [{ hooks: [{ $callback: 'hook' }] }] } };
const permission = { canUseTool: { $callback: 'ask' } };

/** Shows that the input is still open: a question that gets an answer. */
const stillOpen = (id: string): readonly Step[] => asked(id, { subtype: 'from_the_future' });
const task = (subtype: string, more: JsonObject = {}): Step => ({
  out: { type: 'system', subtype, task_id: 't1', session_id: 's', uuid: 'u', ...more },
});
const started = (more: JsonObject = { task_type: 'local_agent' }): Step =>
  task('task_started', { description: 'd', ...more });
const ended = task('task_notification', { status: 'completed', output_file: 'f', summary: 's' });

function run(
  name: string,
  options: JsonObject,
  cli: readonly Step[],
  more: Partial<ProcessProgram> = {},
): ProcessProgram {
  return launch(`input: ${name}`, options, { cli, ...more });
}

/** Both must answer what is named, and only then see the end of the input. */
const open = (...answers: readonly string[]) => ({
  at: ['order', 'verdict', 'end'],
  both: { order: ['request initialize', 'user', ...answers.map((id) => `answer ${id}`), 'EOF'], verdict: 'passed' },
});

const held = [USER, ...stillOpen('before'), RESULT, EOF];

/**
 * An iterable that ends before the CLI asks: a text prompt always holds the input here, so it would not show what else
 * does. The CLI waits until the iterable has ended.
 */
const early = (name: string, options: JsonObject): ProcessProgram => ({
  name: `input: ${name}`,
  mode: 'query',
  stream: true,
  options,
  cli: [USER, { gate: 'ended' }, { delayMs: 100 }, ...held.slice(1)],
  acts: [
    { drive: { command: 'send', content: 'Hi' }, as: 'sent' },
    { reply: 'sent' },
    { drive: { command: 'end_input' }, as: 'ended' },
    { reply: 'ended' },
    { open: 'ended' },
  ],
});

/** When stdin is closed. */
export const lifetimeRows: readonly Row<ProcessProgram>[] = [
  {
    id: 'PY-135',
    what: 'a text prompt without callbacks: when the input ends',
    looks: [
      look(
        run('no callbacks', {}, [
          USER,
          { delayMs: 200 },
          { out: { type: 'control_request', request_id: 'before', request: { subtype: 'from_the_future' } } },
          { delayMs: 200 },
          RESULT,
          EOF,
        ]),
        {
          at: ['said', 'verdict'],
          python: { order: ['request initialize', 'user', 'EOF'] },
          ours: { order: ['request initialize', 'user', 'answer before', 'EOF'] },
          differs: [
            differs(
              'official-ts',
              'TS-088',
              'order',
              'In the TypeScript SDK the input stays open until the first result.',
            ),
          ],
        },
      ),
    ],
  },
  {
    id: 'PY-136',
    what: 'hooks hold the input until the first result',
    looks: [look(early('hooks', hooks), open('before'))],
  },
  {
    id: 'PY-137',
    what: 'so does an in-process server',
    looks: [look(early('server', { mcpServers: { own: { $server: {} } } }), open('before'))],
  },
  {
    id: 'PY-138',
    what: 'so does a permission callback, for a text and an iterable',
    looks: [
      look(run('permission callback, text', permission, held), open('before')),
      look(early('permission callback, iterable', permission), open('before')),
    ],
  },
  {
    id: 'PY-139',
    what: 'a mapping of hooks with empty lists holds it too',
    looks: [look(early('empty lists of hooks', { hooks: { Stop: [] } }), open('before'))],
  },
  {
    id: 'PY-140',
    what: 'a task that runs holds it beyond the result, until the first result after its end',
    looks: [
      look(
        run('a task', permission, [
          USER,
          started(),
          RESULT,
          ...stillOpen('running'),
          ended,
          ...stillOpen('done'),
          RESULT,
          EOF,
        ]),
        open('running', 'done'),
      ),
    ],
  },
  {
    id: 'PY-141',
    what: 'a task that was killed has ended',
    looks: [
      look(
        run('a killed task', permission, [
          USER,
          started(),
          task('task_updated', { patch: { status: 'killed' } }),
          ...stillOpen('killed'),
          RESULT,
          EOF,
        ]),
        open('killed'),
      ),
    ],
  },
  {
    id: 'PY-142',
    what: 'one that is reported running has not',
    looks: [
      look(
        run('a running task', permission, [
          USER,
          started(),
          task('task_updated', { patch: { status: 'running' } }),
          RESULT,
          ...stillOpen('running'),
          ended,
          RESULT,
          EOF,
        ]),
        open('running'),
      ),
    ],
  },
  {
    id: 'PY-143',
    what: 'shells, monitors, teammates and tasks without a type do not hold it',
    looks: [
      look(
        run('tasks that are no agents', permission, [
          USER,
          ...['local_bash', 'monitor', 'teammate'].map((task_type) => started({ task_type })),
          started({}),
          RESULT,
          EOF,
        ]),
        open(),
      ),
    ],
  },
  {
    id: 'PY-144',
    what: 'the list of background tasks',
    looks: [
      look(
        run('the list of background tasks', permission, [
          USER,
          {
            out: {
              type: 'system',
              subtype: 'background_tasks_changed',
              tasks: [{ task_id: 't1', task_type: 'local_agent' }],
              session_id: 's',
              uuid: 'u',
            },
          },
          RESULT,
          { delayMs: 200 },
          { out: { type: 'control_request', request_id: 'after', request: { subtype: 'from_the_future' } } },
          { delayMs: 200 },
          { out: { type: 'system', subtype: 'background_tasks_changed', tasks: [], session_id: 's', uuid: 'u' } },
          RESULT,
          EOF,
        ]),
        {
          at: ['verdict', 'said'],
          python: { order: ['request initialize', 'user', 'EOF'] },
          ours: { order: ['request initialize', 'user', 'answer after', 'EOF'] },
          differs: [
            differs(
              'safety',
              'D-15',
              'order',
              'What the list names runs, and its hooks and permissions must be asked.',
            ),
          ],
        },
      ),
    ],
  },
  {
    id: 'PY-145',
    what: 'a CLI that leaves without a result ends the run',
    looks: [
      look(run('no result', hooks, [USER, { exit: 0 }]), {
        at: ['said', 'end', 'failure', 'verdict'],
        both: { said: [], end: 'end', failure: null },
      }),
    ],
  },
  {
    id: 'PY-146',
    what: 'an iterable without items: the end of the input at once, even with hooks',
    looks: [
      look(
        {
          name: 'input: an empty iterable',
          mode: 'query',
          stream: true,
          options: hooks,
          cli: [EOF],
          acts: [{ drive: { command: 'end_input' } }],
        },
        { at: ['order', 'end'], both: { order: ['request initialize', 'EOF'], end: 'end' } },
      ),
    ],
  },
  {
    id: 'PY-147',
    what: 'an iterable that throws after one item',
    looks: [
      look(
        {
          name: 'input: an iterable that throws',
          mode: 'query',
          stream: true,
          options: { $promptThrows: true },
          cli: [USER, EOF, RESULT],
        },
        {
          at: ['order'],
          python: { order: ['request initialize', 'user', 'EOF'], said: ['result/success'], failure: null },
          ours: {
            order: ['request initialize', 'user', 'request interrupt', 'EOF'],
            failure: { class: 'PromptError', message: '/mine/' },
          },
          differs: [
            differs(
              'safety',
              'D-190',
              'order',
              'A run that is ended at work is told to stop before its input ends; Python ends the input and lets the turn go on.',
            ),
            differs(
              'safety',
              'D-08',
              'failure',
              'An answer to half of a prompt must not pass for an answer to all of it: the run ends with what the iterable threw. Neither official SDK says it.',
            ),
          ],
        },
      ),
    ],
  },
  {
    id: 'PY-148',
    what: 'the items of an iterable are written unchanged, one a line',
    looks: [
      look(
        {
          name: 'input: items of an iterable',
          mode: 'query',
          stream: true,
          cli: [USER, USER, RESULT],
          acts: [
            {
              drive: {
                command: 'send',
                content: [{ type: 'text', text: 'é\n\u2028\u{1f600}' }],
                fields: { own: { deep: [1, null, true] }, session_id: 'x' },
              },
              as: 'one',
            },
            { reply: 'one' },
            { drive: { command: 'send', content: 'two' }, as: 'two' },
            { reply: 'two' },
            { drive: { command: 'end_input' } },
          ],
        },
        {
          at: ['stdin/1', 'stdin/2', 'verdict'],
          both: {
            stdin: [
              '$any',
              {
                type: 'user',
                message: { role: 'user', content: [{ type: 'text', text: 'é\n\u2028\u{1f600}' }] },
                own: { deep: [1, null, true] },
                session_id: 'x',
              },
              { message: { content: 'two' }, session_id: '$absent' },
              'EOF',
            ],
          },
        },
      ),
    ],
  },
  {
    id: 'PY-149',
    what: 'the line of a text prompt',
    looks: [
      look(run('a text prompt', {}, [USER, RESULT]), {
        at: ['stdin/1'],
        both: {
          stdin: ['$any', { type: 'user', session_id: '', parent_tool_use_id: null, message: { role: 'user' } }, 'EOF'],
        },
        python: { stdin: ['$any', { message: { content: 'Hi' } }, 'EOF'] },
        ours: { stdin: ['$any', { message: { content: [{ type: 'text', text: 'Hi' }] } }, 'EOF'] },
        differs: [
          differs('official-ts', 'TS-081', 'stdin/1/message/content', 'The TypeScript SDK writes a text block.'),
        ],
      }),
    ],
  },
];
