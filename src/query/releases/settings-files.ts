import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { configLocation } from '../../util/config-folder.js';
import { absolutePath } from '../../util/host-places.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import { managedFolder } from '../../util/managed-folder.js';
import type { LaunchPlan } from '../launch/launch-plan.js';
import { rulesOf } from './given-settings.js';

/** The settings files that the CLI of a plan may read, by where they count. The first of a group counts first. */
export interface SettingsFiles {
  /** Above inline settings. */
  readonly managed: readonly string[];
  /** What `--settings` names, then those of the sources. */
  readonly own: readonly string[];
}

export function settingsFilesOf({ reliance, env, cwd }: LaunchPlan): SettingsFiles {
  const root = absolutePath('cwd', cwd ?? '.');
  const { file, sources = ['local', 'project', 'user'] } = reliance.settings;
  const files: Readonly<Record<string, string>> = {
    local: join(root, '.claude', 'settings.local.json'),
    project: join(root, '.claude', 'settings.json'),
    user: join(configLocation(env, root).folder, 'settings.json'),
  };
  const flag = file === undefined ? [] : [resolve(root, file)];
  const bySource = Object.keys(files).flatMap((source) => (sources.includes(source) ? (files[source] ?? []) : []));
  return { managed: [join(managedFolder(process.platform), 'managed-settings.json')], own: [...flag, ...bySource] };
}

/** The first of them with such a rule in a list. `undefined`: none has one. */
export function fileWithRules(
  list: 'allow' | 'deny',
  plan: LaunchPlan,
  fits: (rule: string) => boolean,
): string | undefined {
  const { managed, own } = settingsFilesOf(plan);
  return [...managed, ...own].find((file) => rulesOf(list, readSettings(file)).some(fits));
}

/** Empty where the CLI finds nothing that it can use either. */
export function readSettings(file: string): JsonObject {
  try {
    // To read a pipe would wait for its other end.
    const value: unknown = statSync(file).isFile() && JSON.parse(textOf(readFileSync(file)));
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** The CLI reads what Windows writes, too. */
function textOf(bytes: Buffer): string {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  return bytes.toString(isUtf16 ? 'utf16le' : 'utf8').replace(/^\uFEFF/, '');
}
