import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const ERROR = /^(.+?)\((\d+),\d+\): error (TS\d+): (.*)$/;

/** As an application has it: strict, Node's types, no DOM. */
export const APPLICATION = {
  target: 'es2023',
  lib: ['es2023'],
  types: ['node'],
  module: 'nodenext',
  moduleResolution: 'nodenext',
  strict: true,
  exactOptionalPropertyTypes: true,
  noEmit: true,
};

/**
 * Writes files and a tsconfig, and runs the compiler over them.
 *
 * @param {{ suite: string, tsc: string }} context
 * @param {string} folder Name of the folder made for it.
 * @param {Map<string, string>} files Path in the folder to text.
 * @param {object} [compilerOptions]
 * @param {readonly string[]} [flags]
 * @returns {{ errors: { file: string, line: number, code: string, text: string }[], stdout: string }}
 */
export function compile({ suite, tsc }, folder, files, compilerOptions = {}, flags = []) {
  // Ignored by git, the linter and the project's own tsconfig, and in reach of the installed packages.
  const home = join(suite, 'node_modules', '.check', folder);
  rmSync(home, { recursive: true, force: true });
  for (const [name, text] of files) {
    mkdirSync(dirname(join(home, name)), { recursive: true });
    writeFileSync(join(home, name), text);
  }
  writeFileSync(
    join(home, 'tsconfig.json'),
    JSON.stringify({
      compilerOptions: { ...APPLICATION, allowImportingTsExtensions: true, ...compilerOptions },
      files: [...files.keys()],
    }),
  );
  const { status, stdout, stderr } = spawnSync(tsc, ['-p', '.', '--pretty', 'false', ...flags], {
    cwd: home,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  const errors = parseErrors(stdout, home);
  // Silence means that all is well only when the compiler says so too.
  if ((status === 0) !== (errors.length === 0)) {
    throw new Error(`tsc ended with ${status}: ${stderr}${stdout.slice(0, 2000)}`);
  }
  return { errors, stdout };
}

function parseErrors(stdout, home) {
  const errors = [];
  for (const line of stdout.split('\n')) {
    const found = ERROR.exec(line);
    if (found !== null) {
      const [, file = '', at, code = '', text = ''] = found;
      errors.push({ file: relative(home, join(home, file)), line: Number(at), code, text });
    } else if (line.startsWith(' ') && errors.length > 0) {
      errors[errors.length - 1].text += `\n${line}`;
    } else if (line.startsWith('error ')) {
      errors.push({ file: '', line: 0, code: 'TS', text: line });
    }
  }
  return errors;
}
