import type { Options, OutcomeKind } from '../../index.js';
import type { Script } from '../../testing/script/compile-script.js';
import { asWordCount, type FileCounts } from './count-files.js';
import { DENIED, LINES_PER_PAGE } from './demo-tools.js';

/** One session of the tour. */
export interface Act {
  readonly title: string;
  readonly prompt: string;
  readonly script: Script;
  readonly options: Pick<Options, 'idleTimeoutMs'>;
  /** No process of its own. */
  readonly inProcess?: true;
  /** How it ends, when all is well. */
  readonly endsAs: OutcomeKind;
}

const TYPING_MS = 40;
const IDLE_TIMEOUT_MS = 1_000;

/** What the demo plays when nothing else was asked for: a session that works, a failure, and a bound. */
export function tourOf(files: FileCounts, prompt: string | undefined): readonly Act[] {
  const names = files.counts.map(({ name }) => name);
  const list = names.join(' and ');
  return [
    {
      title: 'tools, permissions, a denial',
      prompt: prompt ?? `How many lines do ${list} have, and how many pages is that? Then tidy up.`,
      script: countingScript(files, names),
      options: {},
      endsAs: 'completed',
    },
    {
      title: 'a failure is a typed error',
      prompt: 'Once more, please.',
      script: ({ prompt: asked, outcome }) => [asked(), outcome.overloaded()],
      options: {},
      endsAs: 'overloaded',
    },
    {
      title: `a bound that holds: the CLI says nothing more, and the run has idleTimeoutMs: ${IDLE_TIMEOUT_MS}`,
      prompt: 'And once more.',
      script: ({ prompt: asked, outcome }) => [asked(), outcome.idleTimeout()],
      options: { idleTimeoutMs: IDLE_TIMEOUT_MS },
      // The clock of the bound runs while a process starts, which takes a busy machine long.
      inProcess: true,
      endsAs: 'idle_timeout',
    },
  ];
}

function countingScript(files: FileCounts, names: readonly string[]): Script {
  const { total } = files;
  const pages = `${total / LINES_PER_PAGE} pages`;
  const pagesTool = 'mcp__demo__pages';
  return (frames) => {
    const { prompt, init, toolUse, hook, permission, toolResult, mcpCall, result } = frames;
    const say = (text: string) =>
      frames.faults.slow(frames.partialText(text.split(/(?<= )/)), TYPING_MS);
    const bash = (command: string, expect: 'allow' | 'deny') => [
      toolUse('Bash', { command }),
      hook('PreToolUse'),
      permission(undefined, undefined, { expect }),
    ];
    return [
      prompt(),
      init(),
      say('I will count the lines first.'),
      bash(`wc -l ${names.join(' ')}`, 'allow'),
      toolResult(asWordCount(files)),
      say('Now the pages.'),
      toolUse(pagesTool, { lines: total }),
      hook('PreToolUse'),
      permission(undefined, undefined, { expect: 'allow' }),
      mcpCall('demo', 'pages', { lines: total }),
      toolResult(pages),
      say('Now I tidy up.'),
      bash('rm -r build', 'deny'),
      toolResult(DENIED, { isError: true }),
      say(`${total} lines are ${pages}. I was not allowed to delete anything.`),
      result(`${total} lines are ${pages}.`),
    ];
  };
}
