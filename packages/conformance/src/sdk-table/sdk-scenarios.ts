import type { Turn } from 'claudewire/testing';

/** What a program saw, as `drivers/table/session.*` print it. */
export interface Observed {
  readonly results: readonly { readonly subtype: string; readonly isError: boolean; readonly text: string | null }[];
  /** Tools that the permission callback was asked about. */
  readonly asked: readonly string[];
  /** `event:tool` of every hook callback. */
  readonly hooks: readonly string[];
  /** Arguments of every call of the in-process MCP tool. */
  readonly toolCalls: readonly unknown[];
  readonly sessionIds: readonly string[];
  /** `Name: message` of what the SDK threw. */
  readonly error: string | null;
}

/** What is known beside the program's own account. */
export interface Circumstances {
  /** The file that the model's command makes is there. */
  readonly isMade: boolean;
  /** Of each main request to the Messages API, in order. */
  readonly requests: readonly { readonly model: string; readonly body: string }[];
}

/** One scenario of the version table: what the model answers, and what has to be seen. */
export interface SdkScenario {
  readonly name: string;
  readonly about: string;
  readonly turns: readonly Turn[];
  /** Why it did not pass; `undefined` when it did. */
  judge(observed: Observed, circumstances: Circumstances): string | undefined;
}

const TOUCH: Turn = {
  blocks: [{ type: 'tool_use', name: 'Bash', input: { command: 'touch made.txt', description: 'Make a file' } }],
};
const ADD: Turn = { blocks: [{ type: 'tool_use', name: 'mcp__calc__add', input: { a: 2, b: 3 } }] };
const LONG: Turn = { text: 'word '.repeat(400), chunkMs: 50 };
const REFUSED: Turn = { error: { status: 400, message: 'The request was refused.' } };

export const SDK_SCENARIOS: readonly SdkScenario[] = [
  { name: 'text', about: 'one turn with a text', turns: ['Hello.'], judge: (seen) => notSuccess(seen, 'Hello.') },
  {
    name: 'allow',
    about: 'the permission callback allows a command, which runs',
    turns: [TOUCH, 'Done.'],
    judge: (seen, { isMade }) =>
      differs('asked', seen.asked, ['Bash']) ?? (isMade ? notSuccess(seen, 'Done.') : 'the command did not run'),
  },
  {
    name: 'deny',
    about: 'the permission callback denies a command, which does not run',
    turns: [TOUCH, 'Done.'],
    judge: (seen, { isMade }) =>
      differs('asked', seen.asked, ['Bash']) ?? (isMade ? 'the denied command ran' : notSuccess(seen, 'Done.')),
  },
  {
    name: 'hook',
    about: 'a PreToolUse callback allows a command',
    turns: [TOUCH, 'Done.'],
    judge: (seen, { isMade }) =>
      differs('hooks', seen.hooks, ['PreToolUse:Bash']) ??
      (isMade ? notSuccess(seen, 'Done.') : 'the command did not run'),
  },
  {
    name: 'mcp',
    about: 'the model calls an in-process MCP tool',
    turns: [ADD, 'Done.'],
    judge: (seen, { requests }) =>
      differs('toolCalls', seen.toolCalls, [{ a: 2, b: 3 }]) ??
      (requests.some(({ body }) => /"tool_result"[^}]*"5(\.0)?"|"text":"5(\.0)?"/.test(body))
        ? notSuccess(seen, 'Done.')
        : 'the model did not get the sum'),
  },
  {
    name: 'set-model',
    about: 'another model from the second turn on',
    turns: ['One.', 'Two.'],
    judge: (seen, { requests }) =>
      requests.at(-1)?.model.includes('haiku') === true
        ? (differs('results', seen.results.length, 2) ?? notSuccess(seen, 'Two.'))
        : `the last request was for ${requests.at(-1)?.model ?? 'nothing'}`,
  },
  {
    name: 'interrupt',
    about: 'an interrupt while text streams ends the turn',
    turns: [LONG, 'Not wanted.'],
    // What an SDK throws behind the result of an interrupted turn is its way to tell it.
    judge: ({ error, results }) => {
      if (results.length === 1 && results[0]?.text !== LONG.text) return undefined;
      return error ?? `results: ${JSON.stringify(results).slice(0, 100)}`;
    },
  },
  {
    name: 'resume',
    about: 'a second process continues the conversation of the first',
    turns: ['Noted.', 'Heron.'],
    judge: (seen, { requests }) =>
      requests.at(-1)?.body.includes('Remember the word heron.') === true
        ? notSuccess(seen, 'Heron.')
        : 'the model did not get the first turn',
  },
  {
    name: 'error-400',
    about: 'the API refuses the request, and the program learns it',
    turns: [{ ...REFUSED, times: Infinity }],
    judge: ({ error, results }) =>
      error !== null || results.some((result) => result.isError) ? undefined : 'the program saw no error',
  },
  {
    name: 'exit',
    about: 'the CLI ends with code 1 before the turn, and the program learns it',
    turns: ['Not wanted.'],
    judge: ({ error, results }) =>
      error !== null || results.some((result) => result.isError) ? undefined : 'the program saw no error',
  },
];

function notSuccess({ error, results }: Observed, text: string): string | undefined {
  if (error !== null) return error;
  const last = results.at(-1);
  if (last === undefined) return 'no result';
  return last.subtype === 'success' && !last.isError
    ? differs('text', last.text, text)
    : `result: ${last.text ?? last.subtype}`;
}

function differs(what: string, found: unknown, expected: unknown): string | undefined {
  const [a, b] = [JSON.stringify(found), JSON.stringify(expected)];
  return a === b ? undefined : `${what}: ${a}, expected ${b}`;
}
