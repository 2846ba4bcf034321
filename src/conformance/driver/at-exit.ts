type Task = () => void;

/** Processes go before the folders they write into. */
const TASKS = { kill: new Set<Task>(), remove: new Set<Task>() };

/** Does something when this process ends without having done it. Returns what takes that back. */
export function atExit(phase: keyof typeof TASKS, task: Task): () => void {
  if (TASKS.kill.size + TASKS.remove.size === 0) process.on('exit', runAll);
  TASKS[phase].add(task);
  return () => {
    TASKS[phase].delete(task);
    if (TASKS.kill.size + TASKS.remove.size === 0) process.off('exit', runAll);
  };
}

function runAll(): void {
  for (const task of [...TASKS.kill, ...TASKS.remove]) {
    try {
      task();
    } catch {
      // The others have their turn all the same.
    }
  }
}
