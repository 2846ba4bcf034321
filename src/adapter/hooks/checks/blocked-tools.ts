import { namesOfTool } from '../../../constants.js';
import { type Session, ToolPermissions } from '../../state/index.js';
import type { ToolCall } from '../hook-input.js';
import { ruleName } from '../rule-name.js';
import { type Check, deny } from './check.js';

/** The session's own tool policy, read at each call: it may change while the run goes on. */
export const checkBlockedTools: Check = (call, { session, bridgePrefix }) => {
  const by = blockedBy(session, namesOf(call, bridgePrefix));
  if (by === undefined) return undefined;
  const why = `The tool ${call.toolName} is blocked by the session policy`;
  // A rule cannot be held to here. To let the rest through would be to block nothing.
  return deny(by.includes('(') ? `${why}, which has \`${by}\`: the whole tool is blocked` : why);
};

/** Whether the policy, as it is now, blocks every call of a tool. */
export function isBlocked(session: Session, toolName: string, bridgePrefix: string): boolean {
  return blockedBy(session, namesOf({ toolName, toolInput: {} }, bridgePrefix)) !== undefined;
}

/** The first entry that blocks one of the names. */
function blockedBy(session: Session, names: readonly string[]): string | undefined {
  const blocked = session.query(ToolPermissions).latest()?.blocked ?? [];
  return blocked.find((entry) => covers(entry, names));
}

/** What the tool of a call answers to. */
function namesOf(
  { toolName, toolInput }: Pick<ToolCall, 'toolName' | 'toolInput'>,
  bridgePrefix: string,
): readonly string[] {
  // Also by the name it was defined with.
  if (toolName.startsWith(bridgePrefix)) return [toolName, toolName.slice(bridgePrefix.length)];
  const names = namesOfTool(toolName);
  // It runs a shell command, as Bash does.
  return toolName === 'Monitor' && 'command' in toolInput ? [...names, 'Bash'] : names;
}

function covers(entry: string, names: readonly string[]): boolean {
  const blocked = ruleName(entry);
  return (
    blocked === '*' ||
    names.some(
      (name) =>
        name === blocked ||
        (/^mcp__.+/.test(blocked) && name.startsWith(`${blocked.replace(/__\*?$/, '')}__`)),
    )
  );
}
