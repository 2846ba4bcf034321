import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ClaudeSDKError } from '../errors.js';
import { writeWhole } from '../util/write-whole.js';

/**
 * Writes a program that an SDK can start as its CLI. Everything it needs is written into it: SDKs replace the
 * environment and choose the arguments.
 * @param program - The built player or recorder.
 * @param run - The function of that program which takes `config`.
 * @param release - Of the CLI behind it. With it in the second line, the launcher is not run to be asked.
 */
export function writeLauncher(
  path: string,
  program: string | URL,
  run: 'runPlayer' | 'runRecorder',
  config: object,
  release = 'newest',
): void {
  const { href } = program instanceof URL ? program : pathToFileURL(resolve(program));
  const lines = [
    shebang(),
    `// claude-code-version: ${release}`,
    `import { ${run} } from ${JSON.stringify(href)};`,
    '',
    `${run}(${JSON.stringify(config, null, 2)});`,
    '',
  ];
  writeWhole(path, lines.join('\n'), 0o700);
}

/** This very Node: an SDK may start the launcher without a PATH. Kernels limit the line's length and take no blanks. */
function shebang(): string {
  return /^\S{1,120}$/.test(process.execPath) ? `#!${process.execPath}` : '#!/usr/bin/env node';
}

/**
 * Where a program of this package is: in the package beside this folder; in a checkout the tests build it.
 * @throws ClaudeSDKError (`executable_not_found`) it is in neither place.
 */
export function findProgram(name: 'player.mjs' | 'recorder.mjs'): URL {
  const here = import.meta.url ?? pathToFileURL(__filename);
  const places = [`../${name}`, `../../.build/${name}`].map((place) => new URL(place, here));
  const found = places.find((place) => existsSync(place));
  if (found !== undefined) return found;
  throw new ClaudeSDKError(
    `${name} was not found at ${places.map((place) => fileURLToPath(place)).join(', ')}`,
    'executable_not_found',
    { hint: 'A bundler left it out: keep claudewire external, or play in process.' },
  );
}
