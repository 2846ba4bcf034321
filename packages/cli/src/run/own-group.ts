import { spawn } from 'node:child_process';
import type { Options } from 'claudewire';

/**
 * Starts the CLI in a session of its own. So Ctrl-C reaches this program alone, which then interrupts the turn, and no
 * tool can write to the terminal past it (`/dev/tty`). When this process ends first, the whole group ends with it.
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
  const killGroup = (): void => {
    const { pid } = child;
    if (pid === undefined) return;
    try {
      if (hasGroups) process.kill(-pid, 'SIGKILL');
      else child.kill('SIGKILL');
    } catch {
      // It is gone.
    }
  };
  process.once('exit', killGroup);
  child.once('exit', () => process.off('exit', killGroup));
  return child;
};
