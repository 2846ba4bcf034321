import { describeValue } from '../../util/describe-value.js';
import { isJsonObject } from '../../util/json.js';
import { AdapterConfigError } from '../errors/config-errors.js';
import { readFields } from '../options/read-fields.js';
import type { AgentOptions } from './agent-types.js';
import type { ClaudeCodeAdapterOptions } from './claude-code-adapter.js';
import { CAPABILITIES } from './permissions/permission-plan.js';

const LEVELS: readonly unknown[] = ['allow', 'ask', 'deny'];

type Check = (value: unknown) => boolean;

const isText: Check = (value) => typeof value === 'string';
const isObject: Check = isJsonObject;
const isFunction: Check = (value) => typeof value === 'function';
const isBoolean: Check = (value) => typeof value === 'boolean';
const isEnv: Check = (value) =>
  isJsonObject(value) && Object.values(value).every((each) => each === undefined || isText(each));
const isTextList: Check = (value) => Array.isArray(value) && value.every(isText);

type Checks<T> = { readonly [F in keyof T]-?: readonly [Check, string] };

const hasMethods =
  (...names: readonly string[]): Check =>
  (value) =>
    isJsonObject(value) && names.every((name) => isFunction(value[name]));

const ADAPTER_CHECKS: Checks<ClaudeCodeAdapterOptions> = {
  pathToClaudeCodeExecutable: [isText, 'a string'],
  logger: [hasMethods('debug', 'info', 'warn', 'error'), 'a logger'],
  loadRuntime: [isFunction, 'a function'],
  clock: [hasMethods('now', 'monotonic', 'setTimer'), 'a clock'],
  hostEnv: [isEnv, 'an object of strings'],
  uid: [Number.isSafeInteger, 'a whole number'],
};

const CHECKS: Checks<AgentOptions> = {
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
  projectMcpServers: [isTextList, 'a list of names'],
  systemPrompt: [(value) => isText(value) || typeof value === 'object', 'a string or an object'],
  includePartialMessages: [isBoolean, 'true or false'],
  includeThinking: [isBoolean, 'true or false'],
  backgroundTasks: [(value) => value === 'wait' || value === 'stop', `'wait' or 'stop'`],
  interpretPrompts: [isBoolean, 'true or false'],
  toolCategories: [isObject, 'an object such as { Deploy: "shellExecute" }'],
  settingSources: [isTextList, 'a list of strings'],
  env: [isEnv, 'an object of strings'],
  pathToClaudeCodeExecutable: [isText, 'a string'],
};

/** @throws AdapterConfigError a field that does not exist, or cannot be used */
export function checkAdapterOptions(options: ClaudeCodeAdapterOptions): void {
  checkFields(options, ADAPTER_CHECKS);
}

/**
 * Refuses what cannot be used, before anything starts. Fields are read strictly: one that is misspelt would else be dropped,
 * and a limit with it.
 *
 * @throws AdapterConfigError
 */
export function checkAgentOptions(prompt: unknown, options: AgentOptions): void {
  if (typeof prompt !== 'string' || prompt === '') refuse('prompt', 'a text', prompt);
  checkFields(options, CHECKS);
  readFields(options.permissions ?? {}, 'permissions', CAPABILITIES);
  for (const [name, level] of Object.entries(options.permissions ?? {})) {
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

function checkFields<T extends object>(options: T, checks: Checks<T>): void {
  readFields(options, 'options', Object.keys(checks));
  for (const [name, [isGood, expected]] of Object.entries<readonly [Check, string]>(checks)) {
    const value = options[name as keyof T];
    if (value !== undefined && !isGood(value)) refuse(name, expected, value);
  }
}

function refuse(name: string, expected: string, value: unknown): never {
  throw new AdapterConfigError(`\`${name}\` must be ${expected}; got ${describeValue(value)}`, [
    name,
  ]);
}
