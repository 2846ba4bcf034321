import type { SettingSource, Settings } from '../query/options/extension-options.js';

/** Where a value came from: the three settings files, the policy tier, or `--settings`. */
export type ResolvedSettingSource = SettingSource | 'managed' | 'flag';

/** Which part of the policy tier supplied a `managed` value. Here: `remote`, `file` and `parent`. */
export type PolicySettingsOrigin = 'helper' | 'remote' | 'plist' | 'hklm' | 'file' | 'parent' | 'hkcu';

/** The source of one top-level key. */
export type ProvenanceEntry = {
  source: ResolvedSettingSource;
  /** The settings file, absolute. Only for `user`, `project` and `local`. */
  path?: string;
  /** Only for `managed`. */
  policyOrigin?: PolicySettingsOrigin;
};

/** Something that was there and did not count, with the reason as one sentence. Values are never shown: they may be secret. */
export type LeftOutSettings = {
  /** Also an unknown name in `settingSources`. */
  source: ResolvedSettingSource | (string & {});
  /** The file, absolute. Absent for settings that were passed in. */
  path?: string;
  /** Only for `managed`: `remote` is `serverManagedSettings`, `parent` is `managedSettings`. */
  policyOrigin?: PolicySettingsOrigin;
  /** Where in the source: `theme`, `permissions.deny[1]`. Absent when the whole source was left out. */
  key?: string;
  reason: string;
};

/** What {@link resolveSettings} found. */
export type ResolvedSettings = {
  /** The settings of all sources, merged. */
  effective: Settings;
  /** For each top-level key of `effective`, the highest source that sets it. */
  provenance: Partial<Record<keyof Settings, ProvenanceEntry>>;
  /** What each source says, lowest first. Sources without settings are not listed. */
  sources: Array<ProvenanceEntry & { settings: Settings }>;
  /** Whether the policy of this machine could be read; a program that enforces it looks here first. */
  machinePolicy?: {
    /**
     * `false`, or the kinds that may be there and were not read: `file` (a managed settings file that cannot be used),
     * `profile` (macOS) and `registry` (Windows), which this package does not read at all.
     */
    didNotLoad: false | Array<'profile' | 'registry' | 'file'>;
  };
  /** What was left out and why. Absent when nothing was. Not in the official type. */
  leftOut?: LeftOutSettings[];
};

/** Options of {@link resolveSettings}. */
export type ResolveSettingsOptions = {
  /** The project's directory. @defaultValue `process.cwd()` */
  cwd?: string;
  /** Which settings files count. `[]`: none; policy is read all the same. @defaultValue all three */
  settingSources?: SettingSource[];
  /** As `Options.managedSettings` of `query()`: the lowest part of the policy tier, cut down to what restricts. */
  managedSettings?: Settings;
  /** Policy that a server handed out: the highest part of the policy tier, not cut down. */
  serverManagedSettings?: Settings;
};

/** What `matchDeniedModels()` answers. */
export type DeniedModelsMatch = {
  /** One answer for each model, in the order of `models`: true where an entry blocks it. */
  denied: boolean[];
  /** What is odd about the entries and the models, one sentence each. */
  warnings: string[];
};
