import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { invalidOption, requireObject } from '../../errors/invalid-option.js';
import { workingDirectory } from '../../util/host-places.js';
import { ConformanceDataError } from './data-error.js';

const PACKAGE = 'claudewire-conformance';

export interface FindDataOptions {
  /** A folder that was named; nothing else is tried then. */
  readonly data?: string | undefined;
  /** Where an installed package is looked for. @defaultValue the working directory */
  readonly cwd?: string;
  /** Root of this package: in a checkout, the data is in its `conformance` folder. */
  readonly packageRoot?: string | undefined;
}

/**
 * The folder of the data package.
 *
 * @throws ConformanceDataError it is nowhere; the message says where it was looked for.
 */
export function findData(options: FindDataOptions): string {
  requireObject(
    'options',
    'findData() takes an object',
    options,
    'Pass `{}`, or `{ data: folder }`.',
  );
  const { data, cwd = workingDirectory('cwd'), packageRoot } = options;
  for (const [name, value] of Object.entries({ data, cwd, packageRoot })) {
    if (value !== undefined && typeof value !== 'string')
      throw invalidOption(name, 'a path', value);
  }
  if (data !== undefined) {
    const dir = resolve(cwd, data);
    if (isData(dir)) return dir;
    throw new ConformanceDataError(
      `${dir} is not the folder of ${PACKAGE}: it has no package.json of that name`,
    );
  }
  const places = [
    installed(cwd),
    packageRoot === undefined ? undefined : join(packageRoot, 'conformance'),
  ];
  const found = places.find((place) => place !== undefined && isData(place));
  if (found !== undefined) return found;
  throw new ConformanceDataError(
    `${PACKAGE} was not found from ${cwd}. It is the folder "conformance" of a clone of claudewire: name it with --data DIR, or run "npm pack" there and install the file.`,
  );
}

function installed(cwd: string): string | undefined {
  try {
    return dirname(createRequire(join(cwd, 'x')).resolve(`${PACKAGE}/package.json`));
  } catch {
    return undefined;
  }
}

function isData(dir: string): boolean {
  return existsSync(join(dir, 'package.json')) && existsSync(join(dir, 'requirements'));
}
