/** `claudewire/bridge`: the names of the official entry. What needs a session hosted by Anthropic throws. */

export * from './unsupported/bridge.js';
