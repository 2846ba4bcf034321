import type { SandboxSettings } from '../sandbox-settings.js';
import type { HookSettings } from './hook-settings.js';
import type { InterfaceSettings } from './interface-settings.js';
import type { ModelSettings } from './model-settings.js';
import type { AutoModeSettings, PermissionSettings } from './permission-settings.js';
import type { PluginSettings } from './plugin-settings.js';
import type { PolicySettings } from './policy-settings.js';
import type { WorkSettings } from './work-settings.js';

/** A file has no `undefined`: optional fields are there with a value or not at all. */
type AsInFile<T> = T extends (infer Item)[]
  ? AsInFile<Item>[]
  : T extends object
    ? { [Field in keyof T]: AsInFile<Exclude<T[Field], undefined>> }
    : T;

/** Claude Code's settings, as in `settings.json`. Open: unknown keys reach the CLI. */
export interface Settings
  extends PolicySettings,
    PluginSettings,
    ModelSettings,
    WorkSettings,
    InterfaceSettings {
  $schema?: string;
  /** Variables for the CLI and its tools. Their presence moves the whole of `settings` off the command line. */
  env?: { [name: string]: string };
  permissions?: PermissionSettings;
  autoMode?: AutoModeSettings;
  sandbox?: AsInFile<SandboxSettings>;
  hooks?: HookSettings;
  [setting: string]: unknown;
}
