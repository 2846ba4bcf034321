interface ExitAction {
  readonly run: () => void;
  readonly afterPause: (() => void) | undefined;
}

/** Claude Code takes up to 150 ms to end itself and its tools. */
const PAUSE_MS = 500;

/** Actions for the exit of the host process. */
const actions = new Set<ExitAction>();

function runActions(): void {
  const all = [...actions];
  for (const { run } of all) contain(run);
  const last = all.flatMap(({ afterPause }) => afterPause ?? []);
  if (last.length === 0) return;
  // Nothing else can run any more.
  contain(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS));
  for (const step of last) contain(step);
}

/** The process is exiting: the other actions matter more than the error of one. */
function contain(step: () => void): void {
  try {
    step();
  } catch {
    // As above.
  }
}

/**
 * Runs `run` when the host exits (`process.exit()`, the end of its work, an uncaught error; not on a signal, which we
 * leave to the host). All actions share one `exit` listener, which is there only while there are any. Nothing
 * asynchronous can happen in an action.
 * @param afterPause - Called after all actions and a short pause, for which the exit waits once.
 * @returns takes the action back. Safe to call twice.
 */
export function onHostExit(run: () => void, afterPause?: () => void): () => void {
  if (actions.size === 0) process.on('exit', runActions);
  const action = { run, afterPause };
  actions.add(action);
  return () => {
    if (actions.delete(action) && actions.size === 0) process.off('exit', runActions);
  };
}
