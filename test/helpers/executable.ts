import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';

/**
 * Writes a program that the test then starts, through a process of its own. Written by us, the file could be open in a
 * process that another test's thread starts meanwhile, and nobody can start a program that is open for writing.
 */
export function writeExecutable(path: string, text: string): void {
  if (process.platform === 'win32') writeFileSync(path, text);
  else execFileSync('/bin/sh', ['-c', 'cat > "$0"', path], { input: text });
  chmodSync(path, 0o755);
}
