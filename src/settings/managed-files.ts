import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { errorText } from '../util/error-text.js';
import type { JsonObject } from '../util/json.js';
import { checkPolicySettings } from './check-settings.js';
import { mergeSettings } from './merge.js';
import { readSettingsFile } from './read-settings-file.js';
import type { LeftOutSettings } from './types.js';

const PART = { source: 'managed', policyOrigin: 'file' } as const;

/** Drop-ins beyond this are left out. */
const MAX_DROP_INS = 1000;

/** The administrator's settings on this machine. */
export interface MachinePolicy {
  readonly settings: JsonObject;
  readonly leftOut: readonly LeftOutSettings[];
  readonly didNotLoad: readonly ('profile' | 'registry' | 'file')[];
}

/**
 * `managed-settings.json`, then the `*.json` of `managed-settings.d` by name, each over the one before. macOS
 * profiles and the Windows registry take a program to read; this package starts none and says that they may be there.
 */
export async function readMachinePolicy(
  folder: string,
  platform: NodeJS.Platform,
): Promise<MachinePolicy> {
  const leftOut: LeftOutSettings[] = [];
  let settings: JsonObject = {};
  let allRead = true;
  for (const path of [join(folder, 'managed-settings.json'), ...(await dropIns(folder, note))]) {
    const file = await readSettingsFile(path);
    if (file.kind === 'unusable') note(path, file.reason);
    if (file.kind !== 'settings') continue;
    const checked = checkPolicySettings(file.settings);
    leftOut.push(...checked.leftOut.map((each) => ({ ...PART, path, ...each })));
    settings = mergeSettings(settings, checked.settings ?? {});
  }
  return {
    settings,
    leftOut,
    didNotLoad: [...(await otherSources(platform)), ...(allRead ? [] : ['file' as const])],
  };

  function note(path: string, reason: string): void {
    allRead = false;
    leftOut.push({ ...PART, path, reason });
  }
}

async function dropIns(
  folder: string,
  note: (path: string, reason: string) => void,
): Promise<readonly string[]> {
  const directory = join(folder, 'managed-settings.d');
  try {
    const names = (await readdir(directory))
      .filter((name) => name.endsWith('.json') && !name.startsWith('.'))
      .sort();
    if (names.length > MAX_DROP_INS) note(directory, `It has more than ${MAX_DROP_INS} files.`);
    return names.slice(0, MAX_DROP_INS).map((name) => join(directory, name));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') note(directory, errorText(error));
    return [];
  }
}

async function otherSources(
  platform: NodeJS.Platform,
): Promise<readonly ('profile' | 'registry')[]> {
  if (platform === 'win32') return ['registry'];
  if (platform !== 'darwin') return [];
  const profile = '/Library/Managed Preferences/com.anthropic.claudecode.plist';
  return (await stat(profile).catch(() => undefined)) === undefined ? [] : ['profile'];
}
