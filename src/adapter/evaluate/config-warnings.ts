import { namesOfTool } from '../../constants.js';
import type { SDKSystemMessage } from '../../index.js';
import { fieldsOf } from '../../parser/read-message.js';
import { warnOnce } from '../../util/warn-once.js';
import { ruleName } from '../hooks/pre-tool-use.js';
import type { Log } from '../logging/log.js';
import { type Session, ToolPermissions } from '../state/index.js';
import type { AdapterConfig } from './adapter-config.js';

const MESSAGE =
  'Every tool call is approved on this machine: `permissionMode` was left out, which means `bypassPermissions`, and there is no `isolation`.';
const CURE =
  "Set `clientConfig.permissionMode` ('default' denies what nobody allowed; 'bypassPermissions' says that it is meant), or `clientConfig.isolation`.";

/** What the report of a run says of a mode that nobody chose. */
export function defaultModeWarnings({ client }: AdapterConfig): readonly string[] {
  const isSilent = client.isModeChosen || client.isolation !== undefined;
  return isSilent ? [] : [`${MESSAGE} ${CURE}`];
}

/** Says it to whoever runs the process, once, and to the logger. */
export function warnOfDefaultMode(config: AdapterConfig, log: Log): void {
  const [message] = defaultModeWarnings(config);
  if (message === undefined) return;
  warnOnce({ message, code: 'CLAUDE_SDK_BYPASS_BY_DEFAULT' });
  log.warn('config.bypass_by_default', { hint: CURE });
}

/** Rules that limit nothing, since the mode approves every call. */
export function rulesWithoutEffect({ allowedTools, client }: AdapterConfig): readonly string[] {
  if (client.permissionMode !== 'bypassPermissions') return [];
  return (allowedTools ?? []).filter((rule) => ruleName(rule) !== rule.trim());
}

/**
 * Warns of names of built-in tools that the CLI does not have: a misspelt one allows or blocks nothing.
 *
 * @param init - The CLI's first message, with the tools there are.
 */
export function warnOfUnknownTools(
  init: SDKSystemMessage,
  { allowedTools, disallowedTools, bridgeName }: AdapterConfig,
  session: Session,
  log: Log,
): void {
  const { tools: offered } = fieldsOf(init);
  if (!Array.isArray(offered)) return;
  const prefix = `mcp__${bridgeName}__`;
  const names = offered.filter((name): name is string => typeof name === 'string');
  const known = new Set(
    // What is not offered because it was taken away is no mistake.
    [...names, ...disallowedTools.map(ruleName)].flatMap((name) => [
      ...namesOfTool(name),
      // A tool of the prompt also answers to the name it was defined with.
      ...(name.startsWith(prefix) ? [name.slice(prefix.length)] : []),
    ]),
  );
  const isUnknown = (rule: string): boolean => {
    const name = ruleName(rule);
    return name !== '*' && !name.startsWith('mcp__') && !known.has(name);
  };
  const blocked = session.query(ToolPermissions).latest()?.blocked ?? [];
  const lists = { allowedTools: allowedTools ?? [], blocked: blocked.filter((entry) => typeof entry === 'string') };
  for (const [list, rules] of Object.entries(lists)) {
    const unknown = rules.filter(isUnknown);
    if (unknown.length > 0) log.warn('config.unknown_tool', { list, names: unknown });
  }
}
