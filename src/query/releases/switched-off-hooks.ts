import { readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { configLocation } from '../../util/config-folder.js';
import { absolutePath } from '../../util/host-places.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import { managedFolder } from '../../util/managed-folder.js';
import type { LaunchPlan } from '../launch/launch-plan.js';

/**
 * The settings file by which the CLI of a plan would switch hooks off. `undefined`: none does, or inline settings
 * decide. Reads files: for releases that do not call callbacks then.
 */
export function fileThatSwitchesHooksOff({ reliance, env, cwd }: LaunchPlan): string | undefined {
  const root = absolutePath('cwd', cwd ?? '.');
  const { inline, file, sources = ['local', 'project', 'user'] } = reliance.settings;
  const files: Readonly<Record<string, string>> = {
    local: join(root, '.claude', 'settings.local.json'),
    project: join(root, '.claude', 'settings.json'),
    user: join(configLocation(env, root).folder, 'settings.json'),
  };
  const managed = join(managedFolder(process.platform), 'managed-settings.json');
  const flag = file === undefined ? [] : [resolve(root, file)];
  const own = Object.keys(files).flatMap((source) => (sources.includes(source) ? (files[source] ?? []) : []));
  // The first that says something decides.
  const places = typeof inline.disableAllHooks === 'boolean' ? [managed] : [managed, ...flag, ...own];
  const deciding = places.find((path) => switchIn(path) !== undefined);
  return deciding !== undefined && switchIn(deciding) === true ? deciding : undefined;
}

function switchIn(file: string): boolean | undefined {
  const { disableAllHooks } = readObject(file);
  return typeof disableAllHooks === 'boolean' ? disableAllHooks : undefined;
}

/** Empty where the CLI finds nothing that it can use either. */
function readObject(file: string): JsonObject {
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
