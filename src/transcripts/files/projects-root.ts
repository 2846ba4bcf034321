import { join } from 'node:path';
import { configFolder } from '../../util/config-folder.js';

/** The folder that holds one folder per working directory. */
export function projectsRoot(): string {
  return join(configFolder(process.env), 'projects');
}
