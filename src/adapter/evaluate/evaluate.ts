import type { EvaluatingAdapter } from '../prompt/index.js';
import type { LiveRun } from './live-run.js';
import { openRun } from './open-run.js';
import type { PromptResponse } from './prompt-response.js';
import type { Run } from './run.js';
import { settle } from './settle.js';

/** What the model is told to do when its instructions are the system prompt. */
const BEGIN = 'Begin.';

/** One prompt, one response. The process is gone and the home removed when it settles, however it does. */
export async function evaluateRun<T>(
  run: Run<T>,
  adapter: EvaluatingAdapter,
): Promise<PromptResponse<T>> {
  try {
    const { live, rendered } = await openRun(run, adapter);
    await takeTurn(run, live, firstMessage(run, rendered.text));
    const durationMs = run.elapsedMs;
    await finishWork(run, live);
    await run.close();
    await run.noteFiles();
    return await settle(run, rendered, { durationMs });
  } catch (error) {
    await run.close();
    if (run.recorder.files === undefined) await run.noteFiles();
    throw run.toError(error);
  }
}

/** The user message that the rendered prompt goes with, or is. */
function firstMessage({ config, request }: Run<unknown>, text: string): string {
  return config.client.promptPlacement === 'system' ? (request.options.userPrompt ?? BEGIN) : text;
}

/** Resolves when the result is there, or none will come. A run that is stopped meanwhile is interrupted first. */
export async function takeTurn(run: Run<unknown>, live: LiveRun, text: string): Promise<void> {
  if (!run.config.client.interpretPrompts) await run.watch.race(live.requireVerbatim(text));
  const stop = await Promise.race([live.ask(text).then(() => undefined), run.watch.stopped]);
  if (stop !== undefined) await live.stop();
}

/** The CLI ends by itself; with background work, after that, and the result of it counts. */
async function finishWork(run: Run<unknown>, live: LiveRun): Promise<void> {
  if (run.watch.reason !== undefined || run.visibility !== undefined) return;
  live.endInput();
  const stop = await Promise.race([live.over, run.watch.stopped]);
  // Background agents would go on until the process is gone.
  if (stop !== undefined) await live.stop();
}
