import { basename, dirname, isAbsolute, join, sep } from 'node:path';
import { type JsonObject, stringField } from '../../../util/json.js';
import { isReallyInside } from './containment.js';
import { strictRealPath } from './strict-real-path.js';

/** The CLI's own files of this session that its tools must reach although they lie outside every working directory. */
export interface SessionFiles {
  /** Long outputs. Read by the file tools, written by the CLI alone. */
  readonly outputs: string;
  readonly plans: string;
  /** End of the folder, below the child's temporary directory, that has the outputs of background commands. */
  readonly tasks: string;
}

/** Told from where the transcript lies: `<config>/projects/<project>/<session>.jsonl`. */
export function sessionFiles(input: JsonObject): SessionFiles | undefined {
  const transcript = stringField(input, 'transcript_path');
  if (transcript === undefined || !isAbsolute(transcript)) return undefined;
  const outputs = /^(.*[^/\\])\.jsonl$/s.exec(transcript)?.[1];
  if (outputs === undefined) return undefined;
  const project = dirname(outputs);
  return {
    outputs,
    plans: join(project, '..', '..', 'plans'),
    tasks: join(sep, basename(project), basename(outputs), 'tasks'),
  };
}

export async function isSessionFile(
  files: SessionFiles | undefined,
  path: string,
  access: 'read' | 'write',
): Promise<boolean> {
  if (files === undefined) return false;
  if (dirname(path) === files.plans && path.endsWith('.md')) {
    return isReallyInside([files.plans], path);
  }
  if (access === 'write') return false;
  return (await isReallyInside([files.outputs], path)) || (await isTaskOutput(files, path));
}

/** `<tmp>/claude-<uid>/<project>/<session>/tasks/<id>.output`, as a real path: a link of that name leads elsewhere. */
async function isTaskOutput({ tasks }: SessionFiles, path: string): Promise<boolean> {
  const real = await strictRealPath(path).catch(() => '');
  const folder = dirname(real);
  if (!real.endsWith('.output') || !folder.endsWith(tasks)) return false;
  return /^claude(?:-\d+)?$/.test(basename(folder.slice(0, -tasks.length)));
}
