import { PromptValidationError } from '../errors/prompt-errors.js';
import { couldBeObject } from './could-fit.js';
import { flatRoot } from './flat-root.js';
import type { JsonSchema } from './json-schema.js';

/**
 * The schema as the API wants it: `type: 'object'` at its root, and no union there.
 *
 * @throws {@link PromptValidationError} no object fits the schema.
 */
export function withObjectRoot(schema: JsonSchema, where: string): JsonSchema {
  requireObjectRoot(schema, where);
  const flat = flatRoot(schema);
  return flat.type === 'object' ? flat : { ...flat, type: 'object' };
}

/** @throws {@link PromptValidationError} no object fits the schema. */
export function requireObjectRoot(
  schema: JsonSchema,
  where: string,
  hint = 'Wrap it: `{ type: "object", properties: { value: ... }, required: ["value"] }`.',
): void {
  if (couldBeObject(schema)) return;
  const { type } = schema;
  const found = type === undefined ? 'takes no object' : `is for ${JSON.stringify(type)}`;
  throw new PromptValidationError(
    `${where}: the root must be an object, but the schema ${found}. ${hint}`,
    { hint },
  );
}
