import type { JsonObject } from '../../util/json.js';
import {
  arrayOf,
  boolean,
  custom,
  object,
  oneOf,
  shape,
  string,
  type Validator,
} from '../../util/validate.js';
import type { Options } from '../options.js';

const strings = arrayOf(string);
const notText = custom('a string or an array of strings', (value) => typeof value === 'string');
const promptText: Validator = (value, path) =>
  (Array.isArray(value) ? strings : notText)(value, path);

const customPrompt = shape({ prompt: promptText, snapshot: boolean }, ['prompt']);
const presetPrompt = shape(
  {
    preset: oneOf('claude_code'),
    append: string,
    excludeDynamicSections: boolean,
    snapshot: boolean,
  },
  ['preset'],
);
const kind = oneOf('custom', 'preset');

/** An unknown kind would silently leave the caller's prompt out, so it is refused. */
export const systemPrompt: Validator = (value, path) => {
  if (typeof value === 'string' || Array.isArray(value)) return promptText(value, path);
  const problem = object(value, path);
  if (problem !== undefined) return problem;
  const { type } = value as { readonly type?: unknown };
  return (
    kind(type, `${path}.type`) ?? (type === 'custom' ? customPrompt : presetPrompt)(value, path)
  );
};

/** The four fields of `initialize` that `systemPrompt` decides; absent ones are `undefined`. */
export function systemPromptFields(given: NonNullable<Options['systemPrompt']> = ''): {
  readonly [K in
    | 'systemPrompt'
    | 'appendSystemPrompt'
    | 'systemPromptSnapshot'
    | 'excludeDynamicSections']?: JsonObject[string];
} {
  if (typeof given === 'string' || Array.isArray(given)) {
    return { systemPrompt: asParts(given) };
  }
  if (given.type === 'custom') {
    return {
      systemPrompt: asParts(given.prompt),
      systemPromptSnapshot: given.snapshot,
    };
  }
  return {
    appendSystemPrompt: given.append,
    systemPromptSnapshot: given.snapshot,
    excludeDynamicSections: given.excludeDynamicSections,
  };
}

function asParts(prompt: string | readonly string[]): readonly string[] {
  return typeof prompt === 'string' ? [prompt] : [...prompt];
}
