import type { Diagnostic } from '../../diagnostics.js';
import { isJsonObject, type JsonObject, parseJsonObject } from '../../util/json.js';
import type { LaunchPlan } from '../launch/launch-plan.js';
import { knownHooks } from './known-hooks.js';
import { knownPermissions } from './known-rules.js';
import { VALUES } from './setting-values.js';
import { SettingsChanges, unlessSame } from './settings-changes.js';

/*
 * A release drops inline settings as a whole for one value that it does not know, the rules that deny included
 * (`docs/reference/releases.md`). So such values are given in an older form, are left out, or end the run.
 */

/** Settings that a release takes. */
export interface KnownSettings {
  /** The given ones where nothing was changed. */
  readonly settings: JsonObject;
  /** What was left out, as paths and rules. */
  readonly leftOut: readonly string[];
  /** What protects and cannot be given in another way, with the release that it needs. */
  readonly refused: SettingsChanges['refused'];
}

/** The settings without what the release does not know. */
export function knownSettings(given: JsonObject, release: string): KnownSettings {
  const changes = new SettingsChanges(release);
  const known = Object.entries(given).flatMap(([key, value]): [string, unknown][] => {
    if (key === 'hooks' && isJsonObject(value)) return [[key, knownHooks(value, changes)]];
    if (key === 'permissions' && isJsonObject(value)) return [[key, knownPermissions(value, changes)]];
    const lacked = VALUES.find((each) => each.key === key && each.isNew(value) && !changes.has(each.since));
    if (lacked === undefined) return [[key, value]];
    if (lacked.protects) changes.refuse(key, lacked.since);
    else changes.leftOut.push(key);
    return [];
  });
  const { leftOut, refused } = changes;
  return { settings: unlessSame(given, Object.fromEntries(known)), leftOut, refused };
}

const FLAGS: ReadonlySet<string> = new Set(['--settings', '--managed-settings']);

/** What a release takes of each inline settings in the arguments, with the place of their text there. */
export function settingsIn(
  { args, files }: Pick<LaunchPlan, 'args' | 'files'>,
  release: string,
): readonly (KnownSettings & { readonly at: number; readonly isChanged: boolean })[] {
  return args.flatMap((arg, before) => {
    if (!FLAGS.has(arg)) return [];
    const at = before + 1;
    const given = parseJsonObject(files.find(({ argIndex }) => argIndex === at)?.content ?? args[at] ?? '');
    if (given === undefined) return [];
    const known = knownSettings(given, release);
    return [{ ...known, at, isChanged: known.settings !== given }];
  });
}

/** What the program has to know of settings that were left out. */
export function leftOutNote(release: string, leftOut: readonly string[]): Diagnostic {
  return {
    code: 'option_not_honoured',
    message: `Claude Code ${release} would drop all of \`settings\` for what it does not know, or would not do what it says, so this was left out: ${leftOut.join('; ')}.`,
    details: { option: 'settings', release },
  };
}

/** Why settings are refused. */
export function refusalText(release: string, { option, since }: NonNullable<KnownSettings['refused']>): string {
  return `Claude Code ${release} does not honour \`${option}\`, which needs ${since} or newer.`;
}
