import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { InvalidArgumentError } from 'commander';

/** Checks `--cli`. A bare name is looked up in PATH, as a shell does, so a file of that name here is not meant. */
export function cliPath(value: string): string {
  if (value.trim() === '') throw new InvalidArgumentError('It is empty.');
  const isName = !/[\\/]/.test(value);
  if (!isName || isFound(value, process.env, '.') || !isProgram(value)) return value;
  throw new InvalidArgumentError(`PATH has no ${value}. For the file in this folder write ./${value}`);
}

/** Whether a system would find this program: a path, or a name in PATH. */
export function isFound(command: string, env: Readonly<Record<string, string | undefined>>, cwd: string): boolean {
  const isPath = /[\\/]/.test(command);
  const folders = isPath ? [''] : (env.PATH ?? env.Path ?? '').split(delimiter);
  const endings = process.platform === 'win32' ? ['', ...(env.PATHEXT ?? '.EXE;.CMD;.BAT').split(';')] : [''];
  return folders.some((folder) =>
    endings.some((ending) => isProgram(isPath ? resolve(cwd, command + ending) : join(folder, command + ending))),
  );
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
