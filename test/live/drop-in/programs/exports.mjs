/** Loads every entry of the package and shows what it exports. */
import * as root from '@anthropic-ai/claude-agent-sdk';
import * as bridge from '@anthropic-ai/claude-agent-sdk/bridge';
import * as browser from '@anthropic-ai/claude-agent-sdk/browser';
import * as core from '@anthropic-ai/claude-agent-sdk/core';
import * as extract from '@anthropic-ai/claude-agent-sdk/extract';
import { say } from './say.mjs';

for (const [entry, module] of Object.entries({ root, core, browser, bridge, extract })) {
  say(
    entry,
    Object.fromEntries(
      Object.entries(module)
        .sort(([one], [other]) => (one < other ? -1 : 1))
        .map(([name, value]) => [name, describe(value)]),
    ),
  );
}

/** Constants with their value; of the rest the kind. */
function describe(value) {
  if (typeof value === 'function') {
    return value.toString().startsWith('class') ? 'class' : 'function';
  }
  return Array.isArray(value) || typeof value === 'string' || isTable(value) ? value : typeof value;
}

function isTable(value) {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.keys(value).length > 0 &&
    Object.values(value).every((entry) => typeof entry === 'string')
  );
}
