import { custom, func } from '../../util/validate.js';
import { type JsonSchema, type ResolvedType, resolveType, type TypeSpec } from '../schema/index.js';
import { apiSchema, withObjectRoot } from '../schema/internal.js';
import type { SliceKey } from '../state/index.js';
import { readPromptFields } from './prompt-fields.js';
import type { ToolExample, ToolHandler } from './prompt-types.js';

const NAME = /^[a-z0-9_-]{1,64}$/;
const TOOL_NAME = custom(`a string that matches ${NAME.source}`, (name) => typeof name === 'string' && NAME.test(name));
const toolDescription = custom(
  'a string of 1 to 200 characters',
  (text) => typeof text === 'string' && text.trim() !== '' && text.trim().length <= 200,
);
const FIELDS: readonly string[] = [
  ...['name', 'description', 'params', 'handler', 'examples', 'acceptsOverrides', 'resultSlice'],
] as const satisfies readonly (keyof ToolConfig<unknown, unknown>)[];

export interface ToolConfig<P, R> {
  /** `^[a-z0-9_-]{1,64}$` */
  readonly name: string;
  /** For the model; 1 to 200 characters. */
  readonly description: string;
  /** An object type. Without it the handler gets `undefined`. */
  readonly params?: TypeSpec<P> | undefined;
  /** Without it, the tool is described to the model but not offered. */
  readonly handler?: ToolHandler<P, R> | undefined;
  readonly examples?: readonly ToolExample<NoInfer<P>, NoInfer<R>>[] | undefined;
  /** Kept for the caller; nothing here reads it. @defaultValue true */
  readonly acceptsOverrides?: boolean | undefined;
  /** The slice of the session that takes the value of each good result. */
  readonly resultSlice?: SliceKey<R> | undefined;
}

/** A tool that runs in this process. The model sees it as `mcp__<bridgeName>__<name>`. */
export class Tool<P = undefined, R = unknown> {
  readonly name: string;
  readonly description: string;
  readonly params: ResolvedType<P> | undefined;
  readonly handler: ToolHandler<P, R> | undefined;
  readonly examples: readonly ToolExample<P, R>[];
  readonly acceptsOverrides: boolean;
  readonly resultSlice: SliceKey<never> | undefined;
  /** The schema as it is sent: its root is an object. */
  readonly inputSchema: JsonSchema;

  /** @throws {@link PromptValidationError} an unusable name, description or parameter type, or an unknown field. */
  constructor(config: ToolConfig<P, R>) {
    const read = readPromptFields(config, 'Tool', FIELDS);
    read.require('name', TOOL_NAME);
    read.require('description', toolDescription);
    read.check('handler', func);
    const { name, description, params, handler } = config;
    this.name = name;
    this.description = description.trim();
    const where = `Parameters of tool "${name}"`;
    this.params = params === undefined ? undefined : resolveType(params, where);
    this.inputSchema =
      this.params === undefined
        ? { type: 'object', properties: {} }
        : withObjectRoot(apiSchema(this.params.jsonSchema), where, 'forbid');
    this.handler = handler;
    this.examples = read.list('examples', toolExample);
    this.acceptsOverrides = read.boolean('acceptsOverrides', true);
    // Erased, so that a list can have tools of different results; a session does not look at the type.
    this.resultSlice = config.resultSlice as SliceKey<never> | undefined;
  }
}

const toolExample = custom(
  'an object with `description`, `input` and `output`',
  (example) => typeof (example as { description?: unknown } | null)?.description === 'string',
);
