import type { ConversationEvent } from '../events/conversation-event.js';

/** Of `system/init`: what a page needs and a user may know. */
const OF_INIT: readonly string[] = [
  ...['type', 'subtype', 'uuid', 'session_id', 'parent_tool_use_id'],
  ...['model', 'permissionMode', 'claude_code_version', 'output_style'],
];
/** A path of the host. */
const OF_NO_USER: readonly string[] = ['output_file'];

/**
 * An event as a user may see it: without paths of the host, its home of Claude Code, its sockets, plugins and MCP servers,
 * which `system/init` names, and without the files that tasks write to. What the model and its tools said stays as it is.
 */
export function withoutInternals(event: ConversationEvent): ConversationEvent {
  if (event.type !== 'message' || event.message.type !== 'system') return event;
  const { message } = event;
  const isInit = message.subtype === 'init';
  const mayStay = (name: string): boolean => (isInit ? OF_INIT.includes(name) : !OF_NO_USER.includes(name));
  const kept = Object.entries(message).filter(([name]) => mayStay(name));
  if (kept.length === Object.keys(message).length) return event;
  return { ...event, message: Object.fromEntries(kept) as unknown as typeof message };
}
