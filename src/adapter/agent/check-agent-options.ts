import { describeValue } from '../../util/describe-value.js';
import { isJsonObject } from '../../util/json.js';
import { AdapterConfigError } from '../errors/config-errors.js';
import type { AgentOptions } from './agent-types.js';
import { CAPABILITIES } from './permissions/permission-plan.js';

const LEVELS: readonly unknown[] = ['allow', 'ask', 'deny'];

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isObject: Check = isJsonObject;
const isFunction: Check = (value) => typeof value === 'function';
const isBoolean: Check = (value) => typeof value === 'boolean';
const isTextList: Check = (value) => Array.isArray(value) && value.every(isText);

const CHECKS: { readonly [F in keyof AgentOptions]-?: readonly [Check, string] } = {
  cwd: [isText, 'a string'],
  model: [isText, 'a string'],
  permissions: [isObject, 'an object such as { fileWrite: "allow" }'],
  maxTurns: [(value) => Number.isSafeInteger(value) && Number(value) > 0, 'a whole number above 0'],
  maxBudgetUsd: [(value) => Number.isFinite(value) && Number(value) > 0, 'a number above 0'],
  resume: [isText, 'a string: the resumeToken of an earlier run'],
  abortSignal: [(value) => value instanceof AbortSignal, 'an AbortSignal'],
  allowedTools: [isTextList, 'a list of strings'],
  disallowedTools: [isTextList, 'a list of strings'],
  onPermissionRequest: [isFunction, 'a function'],
  hooks: [isObject, 'an object'],
  mcpServers: [isObject, 'an object'],
  systemPrompt: [(value) => isText(value) || typeof value === 'object', 'a string or an object'],
  includePartialMessages: [isBoolean, 'true or false'],
  includeThinking: [isBoolean, 'true or false'],
  backgroundTasks: [(value) => value === 'wait' || value === 'stop', `'wait' or 'stop'`],
  toolCategories: [isObject, 'an object such as { Deploy: "shellExecute" }'],
  settingSources: [isTextList, 'a list of strings'],
  env: [isObject, 'an object'],
  pathToClaudeCodeExecutable: [isText, 'a string'],
};

/**
 * Refuses what cannot be used, before anything starts. A policy is read strictly: a level or a field that is misspelt would
 * else be taken for `ask`.
 *
 * @throws AdapterConfigError
 */
export function checkAgentOptions(prompt: unknown, options: AgentOptions): void {
  if (typeof prompt !== 'string' || prompt === '') refuse('prompt', 'a text', prompt);
  if (!isJsonObject(options)) refuse('options', 'an object', options);
  for (const [name, [isGood, expected]] of Object.entries(CHECKS)) {
    const value = options[name as keyof AgentOptions];
    if (value !== undefined && !isGood(value)) refuse(name, expected, value);
  }
  for (const [name, level] of Object.entries(options.permissions ?? {})) {
    if (!(CAPABILITIES as readonly string[]).includes(name)) {
      refuse(`permissions.${name}`, `absent: the fields are ${CAPABILITIES.join(', ')}`, level);
    }
    if (level !== undefined && !LEVELS.includes(level)) {
      refuse(`permissions.${name}`, `'allow', 'ask' or 'deny'`, level);
    }
  }
  for (const [tool, capability] of Object.entries(options.toolCategories ?? {})) {
    if (![...CAPABILITIES, 'none'].includes(capability)) {
      refuse(`toolCategories.${tool}`, `one of ${CAPABILITIES.join(', ')}, none`, capability);
    }
  }
}

function refuse(name: string, expected: string, value: unknown): never {
  throw new AdapterConfigError(`\`${name}\` must be ${expected}; got ${describeValue(value)}`, [
    name,
  ]);
}
