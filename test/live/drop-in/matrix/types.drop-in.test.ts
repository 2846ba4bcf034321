/** The declarations of the matrix's dependents, checked whole: the same errors over every subject. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { SubjectName } from './dependent.js';
import { inSubject, SETTING } from './setting.js';
import { TYPE_CONSUMERS } from './type-consumers.js';

const packages = fileURLToPath(new URL('../../../../node_modules', import.meta.url));

const CONFIG = {
  compilerOptions: {
    strict: true,
    skipLibCheck: false,
    noEmit: true,
    target: 'es2022',
    lib: ['es2023', 'dom', 'esnext.disposable'],
    module: 'nodenext',
    moduleResolution: 'nodenext',
    typeRoots: [join(packages, '@types')],
    types: ['node'],
  },
  files: ['consumer.ts'],
};

/** Their official run is over an old release, which has errors of its own and lacks types that npm installs since. */
const OLD_SDK = new Set(['acp-0.2']);

const PROJECTS = SETTING.all ? SETTING.projects.filter((project) => TYPE_CONSUMERS[project] !== undefined) : [];

/** What the compiler says, by file: positions in the packages that are compared are their own. */
function errorsOver(project: string, subject: SubjectName): readonly string[] {
  const folder = inSubject({ project }, subject, 'types');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'consumer.ts'), TYPE_CONSUMERS[project] ?? '');
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(CONFIG));
  const tsc = join(packages, 'typescript', 'bin', 'tsc');
  const args = [tsc, '-p', folder, '--pretty', 'false', '--listFiles'];
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8', timeout: 120_000 });
  expect(stdout, `${subject}: the consumer is among the files`).toContain('consumer.ts');
  const errors = stdout.split('\n').filter((line) => /error TS\d+/.test(line));
  const home = inSubject({ project }, subject);
  expect(status === 0, `${subject}: an exit code that fits the errors`).toBe(errors.length === 0);
  // A suggestion names whatever else is exported.
  return errors.map((line) => line.replaceAll(home, '/project').replace(/ Did you mean .*/, ''));
}

test.skipIf(PROJECTS.length === 0).each(PROJECTS.length === 0 ? ['none'] : PROJECTS)(
  'the declarations of the dependents of %s over three subjects',
  (project) => {
    const [official = [], ...others] = SETTING.subjects.map((subject) => errorsOver(project, subject));
    for (const ours of others) {
      if (OLD_SDK.has(project)) expect(official).toEqual(expect.arrayContaining([...ours]));
      else expect(ours).toEqual(official);
    }
  },
  // Three programs of a compiler that reads every declaration.
  600_000,
);
