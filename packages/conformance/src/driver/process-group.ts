import type { ChildProcess } from 'node:child_process';

const TERM_AFTER_MS = 1_000;
const KILL_AFTER_MS = 3_000;

/**
 * Ends a process that leads its own group, and all that is left of the
 * group. Its input should have been ended before.
 */
export async function endProcessGroup(child: ChildProcess, exited: Promise<void>): Promise<void> {
  const timers = [
    setTimeout(() => signalGroup(child, 'SIGTERM'), TERM_AFTER_MS),
    setTimeout(() => signalGroup(child, 'SIGKILL'), KILL_AFTER_MS),
  ];
  await exited;
  for (const timer of timers) clearTimeout(timer);
  // What it started and left behind. The group's id cannot be taken while a member lives.
  signalGroup(child, 'SIGKILL');
  for (const stream of child.stdio) stream?.destroy();
}

/** Kills the group when this process ends without having closed it. Returns what takes that back. */
export function killGroupAtExit(child: ChildProcess): () => void {
  return atExit('kill', () => signalGroup(child, 'SIGKILL'));
}

/** Sends a signal to the process and to everything in its group. */
export function signalGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') child.kill(signal);
    else process.kill(-child.pid, signal);
  } catch {
    // Nobody is left.
  }
}

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
