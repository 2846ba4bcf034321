import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { invalidArgument, requireObject } from '../util/arguments.js';
import { ConformanceDataError } from './conformance-data.js';

export interface FindDataOptions {
  /** The folder to use. @defaultValue the data of this package */
  readonly data?: string | undefined;
}

/**
 * The folder of the data: requirements, scenarios, vectors, schemas.
 *
 * @throws ConformanceDataError the folder is another one.
 */
export function findData(options: FindDataOptions = {}): string {
  const cure = 'Pass `{}`, or `{ data: folder }`.';
  requireObject('options', 'findData() takes an object', options, cure);
  const { data } = options;
  if (data === undefined) return fileURLToPath(new URL('../..', import.meta.url));
  if (typeof data !== 'string') {
    throw invalidArgument('data', 'findData() takes the path of a folder as `data`', data, cure);
  }
  const dir = resolve(data);
  if (existsSync(join(dir, 'package.json')) && existsSync(join(dir, 'requirements'))) return dir;
  throw new ConformanceDataError(
    `${dir} is not a folder of conformance data: it has no package.json and no requirements/`,
  );
}
