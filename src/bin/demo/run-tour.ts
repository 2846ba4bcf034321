import { relative } from 'node:path';
import type { ScriptedCli } from '../../testing/scripted-cli.js';
import { ExitCode } from '../exit-codes.js';
import { countFiles } from './count-files.js';
import type { DemoListener } from './demo-events.js';
import { runDemo } from './run-demo.js';
import { type Act, tourOf } from './tour.js';

export interface TourHost {
  /** Folder with `player.mjs`. */
  readonly assets: string;
  readonly emit: DemoListener;
  readonly abortController: AbortController;
}

/**
 * Plays the acts of the tour, each on a scripted CLI of its own, and says what to try next.
 *
 * @returns the exit code: good when every act ended as it has to.
 */
export async function runTour(prompt: string | undefined, host: TourHost): Promise<number> {
  const { scriptedCli } = await import('../../testing/scripted-cli.js');
  const acts = tourOf(countFiles(process.cwd(), host.assets), prompt);
  host.emit({ type: 'start', mode: 'scripted', scenario: 'tour' });
  let isGood = true;
  for (const [index, act] of acts.entries()) {
    if (host.abortController.signal.aborted) break;
    const { title, prompt: text } = act;
    host.emit({ type: 'act', number: index + 1, of: acts.length, title, prompt: text });
    isGood &&= await play(
      act,
      scriptedCli(act.script, { inProcess: act.inProcess === true }),
      host,
    );
  }
  if (host.abortController.signal.aborted) return ExitCode.failed;
  host.emit({ type: 'next', commands: nextSteps() });
  return isGood ? ExitCode.ok : ExitCode.failed;
}

async function play(act: Act, cli: ScriptedCli, host: TourHost): Promise<boolean> {
  const { emit, abortController } = host;
  try {
    const options = { ...cli.options, ...act.options };
    const run = { prompt: act.prompt, options, interruptAfterDeltas: undefined };
    const outcome = await runDemo({ ...run, abortController, emit });
    return outcome.kind === act.endsAs;
  } finally {
    // A script that was left in the middle is no news to whoever stopped the demo.
    await cli.close().catch((error: unknown) => {
      if (!abortController.signal.aborted) throw error;
    });
  }
}

/** Commands as the user can type them: from where this program was started, by the path it was started with. */
function nextSteps(): readonly { readonly command: string; readonly does: string }[] {
  const path = relative(process.cwd(), process.argv[1] ?? 'claudewire');
  const program = path.endsWith('.js') ? `node ${path}` : path;
  return [
    { command: `${program} demo --scenario interrupted`, does: 'another session: an interrupt' },
    { command: `${program} demo --live`, does: 'the same program on your own Claude Code' },
    { command: `${program} doctor`, does: 'could a run start on this machine?' },
    { command: 'docs/getting-started.md', does: 'a first program' },
    { command: 'docs/testing-your-app.md', does: 'tests of your own on a scripted CLI' },
  ];
}
