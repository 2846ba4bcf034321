import { execFile } from 'node:child_process';
import { codeOf } from '../../util/error-code.js';

export interface CommandOutcome {
  /** `undefined` when the command did not start or a signal ended it. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** Why there is no exit code: `ENOENT`, `timeout`, the name of a signal. */
  readonly failure: string | undefined;
}

const MAX_OUTPUT_BYTES = 64 * 1024;

/** Runs a short command to its end, without a shell. Killed after `timeoutMs`. Never rejects. */
export function runCommand(
  file: string,
  args: readonly string[],
  options: { readonly env: Readonly<Record<string, string | undefined>>; readonly timeoutMs: number },
): Promise<CommandOutcome> {
  return new Promise((resolve) => {
    const settings = {
      env: options.env,
      timeout: options.timeoutMs,
      killSignal: 'SIGKILL',
      maxBuffer: MAX_OUTPUT_BYTES,
      windowsHide: true,
      shell: false,
    } as const;
    try {
      const child = execFile(file, [...args], settings, (error, stdout, stderr) => {
        // Node gives the negative error number as the code of what it could not start.
        const exitCode = (child.exitCode ?? -1) < 0 ? undefined : (child.exitCode ?? undefined);
        resolve({
          exitCode,
          stdout,
          stderr,
          failure: error === null || exitCode !== undefined ? undefined : failureOf(error),
        });
      });
      child.stdin?.end();
    } catch (error) {
      // A path with a NUL character, for one, is refused at once.
      resolve({ exitCode: undefined, stdout: '', stderr: '', failure: failureOf(error) });
    }
  });
}

function failureOf(error: unknown): string {
  const { killed, signal } = Object(error) as { killed?: boolean; signal?: string };
  return killed === true ? 'timeout' : (codeOf(error) ?? signal ?? 'unknown');
}
