import { execa, execaSync } from 'execa';

/**
 * Runs a command and shows what it says. One that outlives its time is killed, and so is one whose script is told to stop.
 *
 * @param {{ cwd: string, env: Record<string, string | undefined>, timeout: number }} options `env` is all the command sees
 * @returns {Promise<number>} the exit code; -1 after a signal or when it could not be started
 */
export async function exitCodeOf(command, args, options) {
  const { exitCode, shortMessage } = await execa(command, args, {
    ...options,
    extendEnv: false,
    stdio: ['ignore', 'inherit', 'inherit'],
    reject: false,
  });
  if (exitCode === undefined) console.error(shortMessage);
  return exitCode ?? -1;
}

/**
 * Runs a command that must succeed, and shows what it writes to stderr.
 *
 * @returns {string} stdout
 * @throws {ExecaSyncError} it failed, or took more than five minutes: with the command, the reason and stdout
 */
export function outputOf(command, args, cwd) {
  return execaSync(command, args, { cwd, stdin: 'ignore', stderr: 'inherit', timeout: 300_000 }).stdout;
}

/**
 * Tries a command out.
 *
 * @returns {string | undefined} why it does not work; `undefined` when it does
 */
export function problemOf([command, ...args]) {
  const { failed, stderr, shortMessage } = execaSync(command, args, { timeout: 10_000, reject: false });
  return failed ? stderr || shortMessage : undefined;
}
