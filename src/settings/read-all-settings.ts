import { join } from 'node:path';
import type { SettingSource, Settings } from '../query/options/extension-options.js';
import { configFolder } from '../util/config-folder.js';
import { absolutePath } from '../util/host-places.js';
import { managedFolder } from '../util/managed-folder.js';
import { checkFileSettings } from './check-settings.js';
import { mergeSettings, REPLACED_BY_POLICY } from './merge.js';
import { policyTier } from './policy-tier.js';
import { readMachinePolicy, readSettingsFile } from './settings-files.js';
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
