import type { SandboxSettings } from './sandbox-settings.js';
import type { Settings } from './settings/settings.js';

export type { Settings } from './settings/settings.js';

/** Which settings files the CLI reads. Other names pass too. */
export type SettingSource = 'user' | 'project' | 'local';

/** Settings for this run. */
export type SettingsOptions = {
  /**
   * Settings that add to the settings files: a path, JSON text, or an object.
   *
   * Wire: two tokens, `--settings` and the path or JSON. Inline settings with an `env` travel in a file that only this user can
   * read, so that secrets do not show in process lists; with `spawnClaudeCodeProcess` they stay inline.
   */
  settings?: string | Settings;

  /**
   * The sandbox of Bash commands. Merged into inline `settings`, this option winning; lists of denials are
   * joined. `enabled: true` adds `failIfUnavailable: true` unless that is set. Wire: part of `--settings`.
   */
  sandbox?: SandboxSettings;

  /** Policy settings, which users cannot override. Always on the command line: no secrets here. Wire: `--managed-settings <JSON>`. */
  managedSettings?: Settings;

  /**
   * Which settings files are read. `[]`: none. Wire: `--setting-sources=user,project`.
   *
   * @defaultValue the CLI's own (all of them)
   */
  settingSources?: SettingSource[];
};
