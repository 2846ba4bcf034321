import { LEGACY_TOOL_NAME_ALIASES } from '../../constants.js';

/** Every name of the tool that has this one, former and present: releases of the CLI differ in which they use. */
export function namesOfTool(name: string): readonly string[] {
  const current = Object.hasOwn(LEGACY_TOOL_NAME_ALIASES, name) ? LEGACY_TOOL_NAME_ALIASES[name] : undefined;
  const present = current ?? name;
  const former = Object.keys(LEGACY_TOOL_NAME_ALIASES).filter((each) => LEGACY_TOOL_NAME_ALIASES[each] === present);
  return [present, ...former];
}
