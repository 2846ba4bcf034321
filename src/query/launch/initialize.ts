import { SYSTEM_PROMPT_DYNAMIC_BOUNDARY } from '../../constants.js';
import type { JsonObject } from '../../util/json.js';
import type { Options } from '../options.js';
import type { GivenOptions } from './validate-options.js';
import { toWireJson } from './wire-json.js';

/** What `initialize` needs beside the options themselves. All are wire JSON. */
interface InitializeParts {
  readonly hooks: JsonObject | undefined;
  readonly sdkMcpServers: readonly string[];
  readonly sdkMcpServerConfigs: JsonObject | undefined;
  readonly outputSchema: object | undefined;
  readonly agents: JsonObject | undefined;
  readonly plugins: readonly unknown[] | undefined;
  readonly mcpServers: JsonObject | undefined;
}

/**
 * The fields of `initialize` without `subtype`, in the official order (TS-068 to TS-076). The controller puts
 * `sdkMcpServerManifests` in its place when it has them.
 */
export function buildInitializePayload(o: GivenOptions, parts: InitializeParts): JsonObject {
  const prompt = systemPromptFields(o.systemPrompt);
  const fields: JsonObject = {
    hooks: parts.hooks,
    sdkMcpServers: parts.sdkMcpServers.length === 0 ? undefined : parts.sdkMcpServers,
    sdkMcpServerConfigs: parts.sdkMcpServerConfigs,
    jsonSchema: parts.outputSchema,
    systemPrompt: prompt.systemPrompt,
    appendSystemPrompt: prompt.appendSystemPrompt,
    planModeInstructions: o.planModeInstructions,
    systemPromptSnapshot: prompt.systemPromptSnapshot,
    toolAliases: o.toolAliases && toWireJson(o.toolAliases, 'toolAliases'),
    excludeDynamicSections: prompt.excludeDynamicSections,
    agents: parts.agents,
    title: o.title,
    skills: Array.isArray(o.skills) ? [...o.skills] : undefined,
    promptSuggestions: o.promptSuggestions,
    agentProgressSummaries: o.agentProgressSummaries,
    forwardSubagentText: o.forwardSubagentText,
    supportedDialogKinds: o.supportedDialogKinds && [...o.supportedDialogKinds],
    perTaskStopAffordance: o.perTaskStopAffordance,
    plugins: parts.plugins,
    mcpServers: parts.mcpServers,
  };
  // `null` can come from inside `systemPrompt` only, where it means "not given" as everywhere.
  const payload: JsonObject = {};
  for (const name of Object.keys(fields)) {
    const value = fields[name] ?? undefined;
    if (value !== undefined) payload[name] = value;
  }
  return payload;
}

/** The four fields of `initialize` that `systemPrompt` decides. */
function systemPromptFields(given: NonNullable<Options['systemPrompt']> = ''): JsonObject {
  if (typeof given === 'string' || Array.isArray(given)) return { systemPrompt: asPrompt(given) };
  if (given.type === 'custom') return { systemPrompt: asPrompt(given.prompt), systemPromptSnapshot: given.snapshot };
  return {
    appendSystemPrompt: given.append,
    systemPromptSnapshot: given.snapshot,
    excludeDynamicSections: given.excludeDynamicSections,
  };
}

/**
 * One part is sent as a text: releases before 2.1.110 ignore a list, and newer ones make the same request of both, unless
 * the text holds the boundary between parts.
 */
function asPrompt(prompt: string | readonly string[]): string | readonly string[] {
  const parts = typeof prompt === 'string' ? [prompt] : [...prompt];
  const [only, ...others] = parts;
  const isText = only !== undefined && others.length === 0 && !only.includes(SYSTEM_PROMPT_DYNAMIC_BOUNDARY);
  return isText ? only : parts;
}
