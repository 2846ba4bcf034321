import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Writes a program that an SDK can start as its CLI. Everything it needs is written into it: SDKs replace the
 * environment and choose the arguments.
 *
 * @param program - The built player or recorder.
 * @param run - The function of that program which takes `config`.
 */
export function writeLauncher(
  path: string,
  program: string | URL,
  run: 'runPlayer' | 'runRecorder',
  config: object,
): void {
  const { href } = program instanceof URL ? program : pathToFileURL(resolve(program));
  const lines = [
    shebang(),
    `import { ${run} } from ${JSON.stringify(href)};`,
    '',
    `${run}(${JSON.stringify(config, null, 2)});`,
    '',
  ];
  writeFileSync(path, lines.join('\n'), { mode: 0o700 });
}

/** This very Node: an SDK may start the launcher without a PATH. Kernels limit the line's length and take no blanks. */
function shebang(): string {
  return /^\S{1,120}$/.test(process.execPath) ? `#!${process.execPath}` : '#!/usr/bin/env node';
}
