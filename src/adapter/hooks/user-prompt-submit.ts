import type { SyncHookJSONOutput } from '../../control/hook-outputs.js';
import { Plan, Workspace } from '../state/index.js';
import type { ContextProvider, HookRun } from './hook-run.js';
import { limitOf, logHookError } from './hook-run.js';
import { HookInputError } from './tool-call.js';

/** Adds context for the model: the current task, the working directory, and the lines of the user's providers. */
export async function userPromptSubmit(run: HookRun): Promise<SyncHookJSONOutput> {
  const lines = [currentTask(run), workingDirectory(run), ...(await provided(run))]
    .filter((line) => line !== undefined)
    .flatMap((line) => line.split(/\r?\n/))
    .filter((line) => line.trim() !== '')
    .map((line) => `[Context] ${line}`);
  if (lines.length === 0) return {};
  return { hookSpecificOutput: { hookEventName: 'UserPromptSubmit', additionalContext: lines.join('\n') } };
}

function currentTask({ session }: HookRun): string | undefined {
  const steps = session.query(Plan).latest()?.steps ?? [];
  const step = steps.find(({ status }) => status === 'in_progress');
  return step && `Current task: ${step.description}`;
}

function workingDirectory({ session }: HookRun): string | undefined {
  const root = session.query(Workspace).latest()?.root;
  return root && `Working directory: ${root}`;
}

/** A failing provider only loses its own line, unless it reports a limit: that ends the turn. */
function provided(run: HookRun): Promise<readonly (string | undefined)[]> {
  return Promise.all(run.contextProviders.map((provider) => lineOf(provider, run)));
}

async function lineOf(provider: ContextProvider, run: HookRun): Promise<string | undefined> {
  try {
    const line: unknown = await provider({ session: run.session, promptName: run.promptName });
    if (line === undefined || line === null || typeof line === 'string') return line ?? undefined;
    throw new HookInputError(`A context provider gave ${typeof line}, not a string`);
  } catch (error) {
    if (limitOf(error) !== undefined) throw error;
    logHookError(run.log, 'UserPromptSubmit', error);
    return undefined;
  }
}
