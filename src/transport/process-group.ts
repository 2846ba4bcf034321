import type { ChildProcess } from 'node:child_process';

/** Whether a child can lead a group of its own. On Windows `detached` would open a console window. */
export const HAS_PROCESS_GROUPS = process.platform !== 'win32';

/** Ends a child that leads its group, and everyone in the group, with SIGKILL. */
export function killGroup({ pid }: ChildProcess): boolean {
  if (pid === undefined) return false;
  try {
    return process.kill(-pid, 'SIGKILL');
  } catch {
    // Everyone in it is gone.
    return false;
  }
}
