import { anything, nonBlankString, oneOf } from '../../util/validate.js';
import { PromptValidationError } from '../errors/prompt-errors.js';
import { parseValue, type ResolvedType, resolveType, type TypeSpec } from '../schema/index.js';
import { requireObjectRoot } from '../schema/internal.js';
import type { SliceKey } from '../state/index.js';
import { ParamsToken } from './params.js';
import { readPromptFields } from './prompt-fields.js';
import type {
  AnySection,
  OutputContainer,
  Prompt as PromptOf,
  RenderedPrompt,
  RenderOptions,
  SectionPlace,
  PromptTemplate as TemplateOf,
} from './prompt-types.js';
import { renderPrompt } from './render-prompt.js';
import { placeSections, refuseSharedToolNames } from './section-tree.js';

interface CommonConfig {
  /** Namespace, such as the program's name. Not blank. */
  readonly ns: string;
  /** Of the prompt within its namespace. Not blank. */
  readonly key: string;
  /** For events, logs and errors. @defaultValue `ns:key` */
  readonly name?: string | undefined;
  readonly sections?: readonly AnySection[] | undefined;
  /** Keep keys of the output that its type does not list, instead of dropping them. @defaultValue false */
  readonly allowExtraKeys?: boolean | undefined;
}

/** A prompt whose output is one value of type `T`, or that has none. */
export interface PromptTemplateConfig<T> extends CommonConfig {
  /** The type of the model's output. An object type, unless `outputContainer` is `'array'`. */
  readonly output?: TypeSpec<T> | undefined;
  readonly outputContainer?: 'object' | undefined;
  /** The slice of the session that takes the output. */
  readonly outputSlice?: SliceKey<T> | undefined;
}

/** A prompt whose output is an array of `Item`. */
export interface ArrayPromptTemplateConfig<Item> extends CommonConfig {
  /** The type of one element. */
  readonly output: TypeSpec<Item>;
  readonly outputContainer: 'array';
  /** The slice of the session that takes each element. */
  readonly outputSlice?: SliceKey<Item> | undefined;
}

type AnyTemplateConfig<T> = PromptTemplateConfig<T> | ArrayPromptTemplateConfig<unknown>;

export type PromptTemplate<T> = TemplateOf<T>;

/** @throws {@link PromptValidationError} a blank name, an unknown field, sections or tools that clash, a bad type. */
export const PromptTemplate: {
  new <Item>(config: ArrayPromptTemplateConfig<Item>): PromptTemplate<Item[]>;
  new <T = null>(config: PromptTemplateConfig<T>): PromptTemplate<T>;
} = class PromptTemplate<T> implements TemplateOf<T> {
  readonly ns: string;
  readonly key: string;
  readonly name: string | undefined;
  readonly sections: readonly AnySection[];
  readonly output: ResolvedType<unknown> | undefined;
  readonly outputContainer: OutputContainer;
  readonly allowExtraKeys: boolean;
  readonly outputSlice: SliceKey<never> | undefined;
  readonly places: readonly SectionPlace[];
  declare readonly outputType?: T;

  constructor(config: AnyTemplateConfig<T>) {
    const read = readPromptFields(config, 'Prompt', FIELDS);
    read.require('ns', nonBlankString);
    read.require('key', nonBlankString);
    read.check('name', nonBlankString);
    read.check('outputContainer', oneOf('object', 'array'));
    this.ns = config.ns.trim();
    this.key = config.key.trim();
    this.name = config.name?.trim();
    this.outputContainer = config.outputContainer ?? 'object';
    this.output = outputOf(config.output, this.outputContainer);
    this.allowExtraKeys = read.boolean('allowExtraKeys', false);
    // Erased: a session does not look at the type.
    this.outputSlice = config.outputSlice as SliceKey<never> | undefined;
    this.sections = read.list<AnySection>('sections', anything);
    this.places = placeSections(this.sections);
    refuseSharedToolNames(this.places.filter(({ isAlwaysThere }) => isAlwaysThere));
  }
};

export type Prompt<T> = PromptOf<T>;

/** Takes a template, or the fields of one. */
export const Prompt: {
  new <Item>(fields: ArrayPromptTemplateConfig<Item>): Prompt<Item[]>;
  new <T = null>(template: PromptTemplate<T>): Prompt<T>;
  new <T = null>(fields: PromptTemplateConfig<T>): Prompt<T>;
} = class Prompt<T> implements PromptOf<T> {
  readonly template: PromptTemplate<T>;
  readonly #bound = new Map<ParamsToken<unknown, unknown>, unknown>();

  constructor(template: PromptTemplate<T> | AnyTemplateConfig<T>) {
    this.template =
      template instanceof PromptTemplate
        ? template
        : // The overloads above give `T` for each of the two shapes.
          new PromptTemplate(template as PromptTemplateConfig<T>);
  }

  get ns(): string {
    return this.template.ns;
  }

  get key(): string {
    return this.template.key;
  }

  get name(): string | undefined {
    return this.template.name;
  }

  bind<P, Input>(params: ParamsToken<P, Input>, value: NoInfer<Input>): this {
    if (!(params instanceof ParamsToken)) {
      throw new PromptValidationError('bind() must get a parameter set first: the answer of defineParams()');
    }
    const checked = params.type === undefined ? value : parseValue(params.type, value, { extra: 'forbid' });
    this.#bound.set(params, checked);
    return this;
  }

  render(options: RenderOptions = {}): RenderedPrompt<T> {
    return renderPrompt(this.template, this.#bound, options);
  }

  capture(): (options?: RenderOptions) => RenderedPrompt<T> {
    // A subclass with its own render() decides itself what it renders with.
    if (this.render !== Prompt.prototype.render) return (options) => this.render(options);
    const bound = new Map(this.#bound);
    return (options = {}) => renderPrompt(this.template, bound, options);
  }
};

const FIELDS: readonly string[] = [
  ...['ns', 'key', 'name', 'sections', 'allowExtraKeys', 'output', 'outputContainer', 'outputSlice'],
] as const satisfies readonly (keyof PromptTemplateConfig<unknown>)[];

const LIST_HINT = "For a list use `outputContainer: 'array'` with the type of one element.";

function outputOf(
  output: TypeSpec<unknown> | undefined,
  container: OutputContainer,
): ResolvedType<unknown> | undefined {
  if (output === undefined) {
    if (container === 'object') return undefined;
    throw new PromptValidationError("`outputContainer` of a prompt is 'array', but `output` does not say of what");
  }
  const type = resolveType(output, 'Output of the prompt');
  if (container === 'object') {
    const isList = type.jsonSchema.type === 'array';
    requireObjectRoot(type.jsonSchema, 'Output of the prompt', isList ? LIST_HINT : undefined);
  }
  return type;
}
