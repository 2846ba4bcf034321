import { join } from 'node:path';
import type { Dependent, SubjectName } from './dependent.js';

const { DROP_IN_MATRIX, DROP_IN_PROJECTS } = process.env;
if (DROP_IN_MATRIX === undefined || DROP_IN_PROJECTS === undefined) {
  throw new Error('Run these with `npm run test:drop-in`');
}

/** What `scripts/drop-in.mjs` installed. */
interface Setting {
  /** The CLI as the official SDK gets it, for a dependent whose own SDK brings another. */
  readonly cli: string;
  /** Node binaries by major version. */
  readonly nodes: Readonly<Record<string, string>>;
  readonly subjects: readonly SubjectName[];
  readonly projects: readonly string[];
  /** Whether the slow stories run too. */
  readonly all: boolean;
}

// The script writes it in this form.
export const SETTING = JSON.parse(DROP_IN_MATRIX) as Setting;

/** Where a test notes what it compared, for the table. */
export const RESULTS = join(DROP_IN_PROJECTS, 'results');

/** Where every normalised observation is kept. */
export const OBSERVED = join(DROP_IN_PROJECTS, 'observed');

/** The path of a file in a project that was installed for a subject. */
export function inSubject({ project }: Pick<Dependent, 'project'>, subject: SubjectName, ...path: string[]): string {
  return join(DROP_IN_PROJECTS ?? '', 'matrix', project, subject, ...path);
}
