import { isJsonObject, type JsonObject } from '../../util/json.js';
import { EVENTS, HOOKS_THAT_GUARD } from './honoured.js';
import { olderMatcher } from './lacking.js';
import { type SettingsChanges, unlessSame } from './settings-changes.js';

/** From here on an unknown event of hooks, or type of hook, costs only itself. */
export const ONLY_ITSELF = { event: '2.1.101', type: '2.1.257' } as const;

/** Events that the oldest release takes in settings. */
const OLD_EVENTS: ReadonlySet<string> = new Set([
  ...['PreToolUse', 'PostToolUse', 'PostToolUseFailure', 'UserPromptSubmit', 'PermissionRequest', 'Notification'],
  ...['SessionStart', 'SessionEnd', 'Stop', 'SubagentStart', 'SubagentStop', 'PreCompact'],
]);

/** Types of hooks that not every release knows. */
export const HOOK_TYPES: Readonly<Record<string, string>> = {
  command: '',
  prompt: '',
  agent: '',
  http: '2.1.48',
  mcp_tool: '2.1.118',
};

/** Fields of hooks that older releases do not read: the command runs without its arguments, and for every call. */
export const HOOK_FIELDS: Readonly<Record<string, string>> = { args: '2.1.139', if: '2.1.85' };

/** Before, a hook that fails lets the call go on, whatever its `onFailure` says. */
export const ON_FAILURE = '2.1.295';

/** Events whose hooks in settings decide about a call or a prompt. */
const GUARDS: ReadonlySet<string> = new Set([...HOOKS_THAT_GUARD, 'PermissionRequest']);

/** The hooks of inline settings as the release takes and reads them. */
export function knownHooks(given: JsonObject, changes: SettingsChanges): JsonObject {
  const known = Object.entries(given).flatMap(([event, list]): [string, unknown][] => {
    const since = EVENTS[event];
    const isKnown = OLD_EVENTS.has(event) || (since !== undefined && changes.has(since));
    if (isKnown || changes.has(ONLY_ITSELF.event)) return [[event, knownMatchers(event, list, changes)]];
    changes.leftOut.push(`hooks.${event}`);
    return [];
  });
  return unlessSame(given, Object.fromEntries(known));
}

function knownMatchers(event: string, list: unknown, changes: SettingsChanges): unknown {
  if (!Array.isArray(list)) return list;
  const known = list.map((entry: unknown): unknown => {
    if (!isJsonObject(entry) || !Array.isArray(entry.hooks)) return entry;
    const hooks = unlessSame(
      entry.hooks,
      entry.hooks.filter((hook: unknown) => takesHook(event, hook, changes)),
    );
    const matcher = olderMatcher(entry.matcher, changes.release);
    return hooks === entry.hooks && matcher === entry.matcher ? entry : { ...entry, matcher, hooks };
  });
  return unlessSame(list, known);
}

function takesHook(event: string, hook: unknown, changes: SettingsChanges): boolean {
  if (!isJsonObject(hook) || typeof hook.type !== 'string') return true;
  const { type } = hook;
  const isGuard = GUARDS.has(event);
  const ofType = HOOK_TYPES[type] ?? ONLY_ITSELF.type;
  const lacked = [
    ...(ofType === '' || changes.has(ofType) ? [] : [[`of the type ${type}`, ofType] as const]),
    ...Object.entries(HOOK_FIELDS)
      .filter(([field, since]) => hook[field] !== undefined && !changes.has(since))
      .map(([field, since]) => [`with \`${field}\``, since] as const),
    ...(isGuard && hook.onFailure === 'block' && !changes.has(ON_FAILURE)
      ? [['with `onFailure`', ON_FAILURE] as const]
      : []),
  ];
  const [first] = lacked;
  if (first === undefined) return true;
  if (isGuard) changes.refuse(`hooks.${event} ${first[0]}`, first[1]);
  else changes.leftOut.push(`hooks.${event} ${first[0]}`);
  return false;
}
