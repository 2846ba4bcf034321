/** Actions for the exit of the host process. */
const actions = new Set<() => void>();

function runActions(): void {
  for (const action of actions) {
    try {
      action();
    } catch {
      // The process is exiting: the other actions matter more than this one's error.
    }
  }
}

/**
 * Runs `action` when the host exits (`process.exit()`, the end of its work, an uncaught error; not on a signal, which
 * we leave to the host). All actions share one `exit` listener, which is there only while there are any. Nothing
 * asynchronous can happen in an action.
 * @returns takes the action back. Safe to call twice.
 */
export function onHostExit(action: () => void): () => void {
  if (actions.size === 0) process.on('exit', runActions);
  actions.add(action);
  return () => {
    if (actions.delete(action) && actions.size === 0) process.off('exit', runActions);
  };
}
