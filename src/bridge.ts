/** `claudewire/bridge`: the names of the official entry. What needs a session hosted by Anthropic throws. */
export * from './hosted/bridge.js';
export type * from './hosted/bridge-types.js';
