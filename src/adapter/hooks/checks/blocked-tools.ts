import { LEGACY_TOOL_NAME_ALIASES } from '../../../constants/legacy-tool-names.js';
import { ToolPermissions } from '../../session/slices.js';
import { type Check, deny } from './check.js';

/** The session's own tool policy, read at each call: it may change while the run goes on. */
export const checkBlockedTools: Check = ({ toolName }, { session, bridgePrefix }) => {
  const blocked = session.query(ToolPermissions).latest()?.blocked ?? [];
  const names = namesOf(toolName, bridgePrefix);
  return blocked.some((entry) => covers(entry, names))
    ? deny(`The tool ${toolName} is blocked by the session policy`)
    : undefined;
};

/** A bridged tool also answers to the name it was defined with. */
function namesOf(toolName: string, bridgePrefix: string): readonly string[] {
  return toolName.startsWith(bridgePrefix)
    ? [toolName, toolName.slice(bridgePrefix.length)]
    : [toolName];
}

function covers(entry: string, names: readonly string[]): boolean {
  const current = Object.hasOwn(LEGACY_TOOL_NAME_ALIASES, entry)
    ? LEGACY_TOOL_NAME_ALIASES[entry]
    : entry;
  return names.some(
    (name) =>
      name === entry ||
      name === current ||
      (/^mcp__.+/.test(entry) && name.startsWith(`${entry.replace(/__\*?$/, '')}__`)),
  );
}
