import { spawn } from 'node:child_process';
import type { Options } from 'claudewire';

/**
 * Starts the CLI in a session of its own. So Ctrl-C reaches this program alone, which then interrupts the turn, and no
 * tool can write to the terminal past it (`/dev/tty`). SIGKILL is for the whole group: the recorder of `--record` leads
 * it, and could not pass that signal on. The group also ends with this process, and with a leader that a signal ended.
 */
export const spawnInOwnGroup: NonNullable<Options['spawnClaudeCodeProcess']> = ({ command, args, cwd, env }) => {
  const hasGroups = process.platform !== 'win32';
  const child = spawn(command, args, {
    ...(cwd === undefined ? {} : { cwd }),
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: hasGroups,
    windowsHide: true,
  });
  const kill = child.kill.bind(child);
  const killGroup = (): boolean => {
    const { pid } = child;
    if (pid === undefined) return false;
    try {
      return hasGroups ? process.kill(-pid, 'SIGKILL') : kill('SIGKILL');
    } catch {
      // It is gone.
      return false;
    }
  };
  child.kill = (signal) => (signal === 'SIGKILL' ? killGroup() : kill(signal));
  // First: what is removed at the end must not be written again.
  process.prependOnceListener('exit', killGroup);
  child.once('exit', (_code, signal) => {
    process.off('exit', killGroup);
    if (signal !== null) killGroup();
  });
  return child;
};
