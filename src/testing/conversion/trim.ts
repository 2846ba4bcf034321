import { isJsonObject, type JsonObject } from '../../util/json.js';

const KEPT = 2;
/** Lists that only tell what a CLI has. */
const LISTS = new Set([
  'tools',
  'slash_commands',
  'terminal_slash_commands',
  'agents',
  'skills',
  'plugins',
  'commands',
  'models',
  'available_output_styles',
  'memory_paths',
]);

/** Sums of a result that no SDK looks into. */
const SUMS = ['modelUsage', 'subagent_stats'];

/** A frame with the lists of `system/init` and of the answer to `initialize` cut short, a result without its sums. */
export function trimFrame(frame: JsonObject): JsonObject {
  if (frame.type === 'result') {
    return Object.fromEntries(Object.entries(frame).filter(([key]) => !SUMS.includes(key)));
  }
  if (frame.type === 'system' && frame.subtype === 'init') return trimLists(frame);
  const outer = frame.response;
  if (frame.type !== 'control_response' || !isJsonObject(outer)) return frame;
  const answer = outer.response;
  if (!isJsonObject(answer) || !('output_style' in answer)) return frame;
  return { ...frame, response: { ...outer, response: trimLists(answer) } };
}

function trimLists(object: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => [
      key,
      LISTS.has(key) && Array.isArray(value) ? value.slice(0, KEPT) : value,
    ]),
  );
}
