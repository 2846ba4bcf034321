import { constants } from 'node:fs';
import { type FileHandle, open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { SettingSource, Settings } from '../query/options/extension-options.js';
import { configFolder } from '../util/config-folder.js';
import { isMissing } from '../util/error-code.js';
import { errorText } from '../util/error-text.js';
import { absolutePath } from '../util/host-places.js';
import { isJsonObject, type JsonObject, parseJson } from '../util/json.js';
import { managedFolder } from '../util/managed-folder.js';
import { checkFileSettings, checkPolicySettings } from './check-settings.js';
import { mergeSettings, REPLACED_BY_POLICY } from './merge.js';
import { policyTier } from './policy-tier.js';
import type { LeftOutSettings, ResolvedSettings, ResolveSettingsOptions } from './types.js';

type Source = ResolvedSettings['sources'][number];

/** Low to high. */
const FILE_SOURCES: readonly SettingSource[] = ['user', 'project', 'local'];

/** `resolveSettings()`, without the checks of its arguments. Loaded when first used: the tables of keys are large. */
export async function readAllSettings(options: ResolveSettingsOptions): Promise<ResolvedSettings> {
  const { settingSources, managedSettings, serverManagedSettings } = options;
  const wanted = new Set<string>(settingSources ?? FILE_SOURCES);
  // A newer CLI may know more sources, so a name that is not known here is no error.
  const leftOut: LeftOutSettings[] = [...wanted]
    .filter((name) => !FILE_SOURCES.some((source) => source === name))
    .map((source) => ({ source, reason: 'No settings file has this name: see settingSources.' }));
  const sources: Source[] = [];
  const cwd = wanted.has('project') || wanted.has('local') ? absolutePath('cwd', options.cwd ?? '.') : '';
  for (const source of FILE_SOURCES) {
    if (!wanted.has(source)) continue;
    const read = await readSource(source, pathOf(source, cwd), leftOut);
    if (read !== undefined) sources.push(read);
  }
  const machine = await readMachinePolicy(managedFolder(process.platform), process.platform);
  leftOut.push(...machine.leftOut);
  const policy = policyTier({
    remote: serverManagedSettings ?? undefined,
    file: machine.settings,
    parent: managedSettings ?? undefined,
  });
  leftOut.push(...policy.leftOut);
  const { settings, policyOrigin } = policy;
  if (settings !== undefined) sources.push({ source: 'managed', settings, policyOrigin });
  return {
    ...combine(sources),
    sources,
    machinePolicy: { didNotLoad: machine.didNotLoad.length > 0 ? [...machine.didNotLoad] : false },
    ...(leftOut.length > 0 ? { leftOut } : {}),
  };
}

function pathOf(source: SettingSource, cwd: string): string {
  if (source === 'user') return absolutePath('env.CLAUDE_CONFIG_DIR', join(configFolder(process.env), 'settings.json'));
  return join(cwd, '.claude', source === 'project' ? 'settings.json' : 'settings.local.json');
}

async function readSource(
  source: SettingSource,
  path: string,
  leftOut: LeftOutSettings[],
): Promise<Source | undefined> {
  const file = await readSettingsFile(path);
  if (file.kind === 'unusable') leftOut.push({ source, path, reason: file.reason });
  if (file.kind !== 'settings') return undefined;
  const { settings, badKeys, saysSomething, leftOut: lost } = checkFileSettings(file.settings);
  if (settings === undefined) {
    const keys = badKeys.map((key) => JSON.stringify(key)).join(', ');
    leftOut.push({ source, path, reason: `The CLI does not take its value of ${keys}.` });
    return undefined;
  }
  leftOut.push(...lost.map((each) => ({ source, path, ...each })));
  return saysSomething ? { source, settings, path } : undefined;
}

function combine(sources: readonly Source[]): Pick<ResolvedSettings, 'effective' | 'provenance'> {
  let effective: Settings = {};
  const provenance: ResolvedSettings['provenance'] = {};
  for (const { settings, ...origin } of sources) {
    effective =
      origin.source === 'managed'
        ? mergeSettings(effective, settings, REPLACED_BY_POLICY)
        : mergeSettings(effective, settings);
    for (const key of Object.keys(settings)) provenance[key] = { ...origin };
  }
  return { effective, provenance };
}

const PART = { source: 'managed', policyOrigin: 'file' } as const;

/** Drop-ins beyond this are left out. */
const MAX_DROP_INS = 1000;

/** The administrator's settings on this machine. */
interface MachinePolicy {
  readonly settings: JsonObject;
  readonly leftOut: readonly LeftOutSettings[];
  readonly didNotLoad: readonly ('profile' | 'registry' | 'file')[];
}

/**
 * `managed-settings.json`, then the `*.json` of `managed-settings.d` by name, each over the one before. macOS profiles
 * and the Windows registry take a program to read; this package starts none and says that they may be there.
 */
export async function readMachinePolicy(folder: string, platform: NodeJS.Platform): Promise<MachinePolicy> {
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
  return { settings, leftOut, didNotLoad: [...(await otherSources(platform)), ...(allRead ? [] : ['file' as const])] };

  function note(path: string, reason: string): void {
    allRead = false;
    leftOut.push({ ...PART, path, reason });
  }
}

async function dropIns(folder: string, note: (path: string, reason: string) => void): Promise<readonly string[]> {
  const directory = join(folder, 'managed-settings.d');
  try {
    const names = (await readdir(directory)).filter((name) => name.endsWith('.json') && !name.startsWith('.')).sort();
    if (names.length > MAX_DROP_INS) note(directory, `It has more than ${MAX_DROP_INS} files.`);
    return names.slice(0, MAX_DROP_INS).map((name) => join(directory, name));
  } catch (error) {
    if (!isMissing(error)) note(directory, errorText(error));
    return [];
  }
}

async function otherSources(platform: NodeJS.Platform): Promise<readonly ('profile' | 'registry')[]> {
  if (platform === 'win32') return ['registry'];
  if (platform !== 'darwin') return [];
  const profile = '/Library/Managed Preferences/com.anthropic.claudecode.plist';
  return (await stat(profile).catch(() => undefined)) === undefined ? [] : ['profile'];
}

/** Larger files are left out: settings are written by hand. */
export const MAX_SETTINGS_BYTES = 16 * 1024 * 1024;

/** Levels of objects and lists, with the file's own object. Deeper ones become `null`, as in the official SDK. */
const MAX_DEPTH = 64;

/** The content of a settings file. */
type SettingsFile =
  | { readonly kind: 'absent' }
  | { readonly kind: 'settings'; readonly settings: JsonObject }
  | { readonly kind: 'unusable'; readonly reason: string };

/** Reads one settings file. An empty file is `{}`. Never rejects, never waits for a pipe, never reads more than the limit. */
export async function readSettingsFile(path: string): Promise<SettingsFile> {
  let file: FileHandle | undefined;
  try {
    // Without O_NONBLOCK a pipe with no writer would hold the call for ever.
    file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const stats = await file.stat();
    if (!stats.isFile()) return unusable('It is not a regular file.');
    if (stats.size > MAX_SETTINGS_BYTES) {
      return unusable(`It has ${stats.size} bytes, more than ${MAX_SETTINGS_BYTES}.`);
    }
    return parseFile(decode(await file.readFile()));
  } catch (error) {
    return isMissing(error) ? { kind: 'absent' } : unusable(errorText(error));
  } finally {
    await file?.close().catch(() => undefined);
  }
}

/** Windows PowerShell writes UTF-16 with a byte order mark. */
function decode(bytes: Buffer): string {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  return bytes.toString(isUtf16 ? 'utf16le' : 'utf8').replace(/^\uFEFF/, '');
}

function parseFile(json: string): SettingsFile {
  if (json.trim() === '') return { kind: 'settings', settings: {} };
  const value = parseJson(json);
  // Without the parser's message, which quotes the file: it may contain keys.
  if (value === undefined) return unusable('It is not valid JSON.');
  return isJsonObject(value)
    ? { kind: 'settings', settings: cut(value, MAX_DEPTH) as JsonObject }
    : unusable('It does not hold a JSON object.');
}

/** A copy that everything which walks it can walk. */
function cut(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return null;
  if (Array.isArray(value)) return value.map((item) => cut(item, depth - 1));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, cut(item, depth - 1)]));
}

function unusable(reason: string): SettingsFile {
  return { kind: 'unusable', reason };
}
