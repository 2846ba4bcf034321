/** What all stories take from the machine they run on, and how they check themselves. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** The CLI: this variable, else it is looked for. An isolated run sees nothing of the host's environment, so it is said here. */
export const machine = { pathToClaudeCodeExecutable: process.env.CLAUDE_CODE_EXECUTABLE };

/** Of the host: an API that is not at its usual place, and that this machine is a throw-away container (root needs that). */
export const passEnv = ['ANTHROPIC_BASE_URL', 'IS_SANDBOX'];

/** The folder to work in: the first argument, else one for this run alone. */
export function workingFolder() {
  const given = process.argv[2];
  if (given !== undefined) return resolve(given);
  const folder = mkdtempSync(join(tmpdir(), 'story-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Says what is wrong, and lets the program end with exit code 1. */
export function check(what, holds) {
  if (holds) return;
  console.error(`wrong: ${what}`);
  process.exitCode = 1;
}
