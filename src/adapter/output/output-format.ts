import type { JsonObject } from '../../util/json.js';
import type { RenderedPrompt } from '../prompt/index.js';
import type { JsonSchema } from '../schema/index.js';
import { mapSchema, withObjectRoot } from '../schema/index.js';
import { cliSchema } from './cli-schema.js';
import { mergeNull } from './merge-null.js';

/** Key of the array in the wrapper of an array output: the CLI's outputs are objects. */
export const ITEMS = 'items';

export interface OutputFormat {
  readonly type: 'json_schema';
  readonly schema: JsonObject;
}

/** What the CLI is told of the output; `undefined` when the prompt declares none. The declared schema is not changed. */
export function buildOutputFormat({
  output,
  outputContainer,
}: Pick<RenderedPrompt<unknown>, 'output' | 'outputContainer'>): OutputFormat | undefined {
  if (output === undefined) return undefined;
  const schema = mergeNull(cliSchema(output.jsonSchema));
  return {
    type: 'json_schema',
    schema:
      outputContainer === 'array'
        ? wrapped(schema)
        : withObjectRoot(schema, 'Output of the prompt'),
  };
}

/** Definitions move to the new root, where `#/$defs/...` looks for them; other references are moved along. */
function wrapped(element: JsonSchema): JsonObject {
  // With an `$id` inside, `#` would mean the element again.
  const { $id: _, ...moved } = mapSchema(element, moveReference);
  const { $schema, $defs, definitions, ...items } = moved;
  return {
    ...($schema === undefined ? {} : { $schema }),
    type: 'object',
    properties: { [ITEMS]: { type: 'array', items } },
    required: [ITEMS],
    ...($defs === undefined ? {} : { $defs }),
    ...(definitions === undefined ? {} : { definitions }),
  };
}

function moveReference(schema: JsonSchema): JsonSchema {
  const { $ref } = schema;
  if (typeof $ref !== 'string' || !/^#(?!\/(?:\$defs|definitions)\/)(?:\/|$)/.test($ref))
    return schema;
  return { ...schema, $ref: `#/properties/${ITEMS}/items${$ref.slice(1)}` };
}
