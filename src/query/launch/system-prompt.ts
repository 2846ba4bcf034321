import { invalidOption } from '../../errors/invalid-option.js';
import type { JsonObject } from '../../util/json.js';
import type { Options } from '../options.js';
import {
  type Check,
  isFlag,
  isListOf,
  isObjectWith,
  isOneOf,
  isRecord,
  isText,
} from './option-checks.js';

const isPromptText: Check = (value, path) => {
  if (Array.isArray(value)) isListOf(isText)(value, path);
  else if (typeof value !== 'string') {
    throw invalidOption(path, 'a string or an array of strings', value);
  }
};

const isCustom = isObjectWith({ prompt: isPromptText, snapshot: isFlag }, ['prompt']);
const isPreset = isObjectWith(
  {
    preset: isOneOf('claude_code'),
    append: isText,
    excludeDynamicSections: isFlag,
    snapshot: isFlag,
  },
  ['preset'],
);

/** A kind that is not known would silently leave the caller's prompt out, so it is refused. */
export const isSystemPrompt: Check = (value, path) => {
  if (typeof value === 'string' || Array.isArray(value)) return isPromptText(value, path);
  isRecord(value, path);
  const { type } = value as { readonly type?: unknown };
  isOneOf('custom', 'preset')(type, `${path}.type`);
  (type === 'custom' ? isCustom : isPreset)(value, path);
};

/** The four fields of `initialize` that `systemPrompt` decides; absent ones are `undefined`. */
export function systemPromptFields(systemPrompt: NonNullable<Options['systemPrompt']> = ''): {
  readonly [K in
    | 'systemPrompt'
    | 'appendSystemPrompt'
    | 'systemPromptSnapshot'
    | 'excludeDynamicSections']?: JsonObject[string];
} {
  if (typeof systemPrompt === 'string' || Array.isArray(systemPrompt)) {
    return { systemPrompt: asParts(systemPrompt) };
  }
  if (systemPrompt.type === 'custom') {
    return {
      systemPrompt: asParts(systemPrompt.prompt),
      systemPromptSnapshot: systemPrompt.snapshot,
    };
  }
  return {
    appendSystemPrompt: systemPrompt.append,
    systemPromptSnapshot: systemPrompt.snapshot,
    excludeDynamicSections: systemPrompt.excludeDynamicSections,
  };
}

function asParts(prompt: string | readonly string[]): readonly string[] {
  return typeof prompt === 'string' ? [prompt] : [...prompt];
}
