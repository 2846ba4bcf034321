import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Options, OutcomeKind } from 'claudewire';
import type { Script, ScriptedCli } from 'claudewire/testing';
import { ExitCode } from '../program-host.js';
import { DENIED, type DemoHost, LINES_PER_PAGE, runDemo } from './run-demo.js';

/**
 * Plays the acts of the tour, each on a scripted CLI of its own, and says what to try next.
 * @returns the exit code: good when every act ended as it has to.
 */
export async function runTour(prompt: string | undefined, host: DemoHost): Promise<number> {
  const { scriptedCli } = await import('claudewire/testing');
  const acts = tourOf(countFiles(process.cwd(), host.assets), prompt);
  host.emit({ type: 'start', mode: 'scripted', scenario: 'tour' });
  let isGood = true;
  for (const [index, act] of acts.entries()) {
    if (host.abortController.signal.aborted) break;
    const { title, prompt: text } = act;
    host.emit({ type: 'act', number: index + 1, of: acts.length, title, prompt: text });
    isGood &&= await play(act, scriptedCli(act.script, { inProcess: act.inProcess === true }), host);
  }
  if (host.abortController.signal.aborted) return ExitCode.failed;
  host.emit({ type: 'next', commands: nextSteps(host.assets) });
  return isGood ? ExitCode.ok : ExitCode.failed;
}

async function play(act: Act, cli: ScriptedCli, host: DemoHost): Promise<boolean> {
  const { abortController } = host;
  try {
    const outcome = await runDemo({ prompt: act.prompt, options: { ...cli.options, ...act.options }, ...host });
    return outcome.kind === act.endsAs;
  } finally {
    // A script that was left in the middle is no news to whoever stopped the demo.
    await cli.close().catch((error: unknown) => {
      if (!abortController.signal.aborted) throw error;
    });
  }
}

/** Commands as the user can type them: from where this program was started, by the path it was started with. */
function nextSteps(assets: string): readonly { readonly command: string; readonly does: string }[] {
  const path = fromHere(process.argv[1] ?? 'claudewire');
  const docs = (page: string): string => fromHere(join(assets, '..', 'docs', page));
  const program = path.endsWith('.js') ? `node ${path}` : path;
  return [
    { command: `${program} demo --scenario interrupted`, does: 'another session: an interrupt' },
    { command: `${program} demo --live`, does: 'the same program on your own Claude Code' },
    { command: `${program} doctor`, does: 'could a run start on this machine?' },
    { command: docs('getting-started.md'), does: 'a first program' },
    { command: docs('testing-your-app.md'), does: 'tests of your own on a scripted CLI' },
  ];
}

/** The shorter one of a path and the same from the working directory. */
function fromHere(path: string): string {
  const here = relative(process.cwd(), path);
  return here.length < path.length ? here : path;
}

/** One session of the tour. */
interface Act {
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
function tourOf(files: FileCounts, prompt: string | undefined): readonly Act[] {
  const names = files.counts.map(({ name }) => name);
  const list = names.join(' and ');
  return [
    {
      title: 'tools, permissions, a denial',
      prompt:
        prompt ??
        `How many lines ${names.length === 1 ? 'does' : 'do'} ${list} have, and how many pages is that? Then tidy up.`,
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
    const say = (text: string) => frames.faults.slow(frames.partialText(text.split(/(?<= )/)), TYPING_MS);
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

/** Lines of the files that the demo asks about, counted as `wc -l` does. */
interface FileCounts {
  readonly counts: readonly { readonly name: string; readonly lines: number }[];
  readonly total: number;
}

const WANTED = ['README.md', 'CHANGELOG.md', 'package.json'];
const SHOWN = 2;

/** Counts files that are there: of the working directory, else those of this package. */
function countFiles(cwd: string, assets: string): FileCounts {
  const here = WANTED.filter((name) => existsSync(join(cwd, name))).slice(0, SHOWN);
  const [folder, names] = here.length > 0 ? [cwd, here] : [assets, ['player.mjs', 'recorder.mjs'] as const];
  const counts = names.map((name) => ({
    name,
    lines: readFileSync(join(folder, name), 'utf8').split('\n').length - 1,
  }));
  return { counts, total: counts.reduce((sum, { lines }) => sum + lines, 0) };
}

/** What `wc -l` prints. */
function asWordCount({ counts, total }: FileCounts): string {
  const rows = counts.length > 1 ? [...counts, { name: 'total', lines: total }] : counts;
  const width = String(total).length;
  return rows.map(({ name, lines }) => `${String(lines).padStart(width)} ${name}`).join('\n');
}
