import { PromptValidationError } from '../errors/prompt-errors.js';
import { parseValue } from '../schema/index.js';
import { ParamsToken } from './params.js';
import {
  type AnyTemplateConfig,
  type ArrayPromptTemplateConfig,
  PromptTemplate,
  type PromptTemplateConfig,
} from './prompt-template.js';
import { type RenderOptions, renderPrompt } from './render-prompt.js';
import type { RenderedPrompt } from './rendered-prompt.js';

class BoundPrompt<T> {
  /** What people know it by. */
  static readonly name = 'Prompt';
  readonly template: PromptTemplate<T>;
  readonly #bound = new Map<ParamsToken<unknown, unknown>, unknown>();

  constructor(template: PromptTemplate<T> | AnyTemplateConfig<T>) {
    this.template =
      template instanceof PromptTemplate
        ? template
        : // The overloads below give `T` for each of the two shapes.
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

  /**
   * Binds a parameter set; a value bound before is replaced as a whole.
   *
   * @returns the prompt itself.
   * @throws {@link ValidationError} the set has a type, and the value does not fit it.
   */
  bind<P, Input>(params: ParamsToken<P, Input>, value: NoInfer<Input>): this {
    if (!(params instanceof ParamsToken)) {
      throw new PromptValidationError(
        'bind() must get a parameter set first: the answer of defineParams()',
      );
    }
    const checked =
      params.type === undefined ? value : parseValue(params.type, value, { extra: 'forbid' });
    this.#bound.set(params, checked);
    return this;
  }

  /**
   * @throws {@link PromptRenderError} a placeholder without a value, or a function of a section that throws.
   * @throws {@link PromptValidationError} a bound parameter set or an override that no section answers to, or two
   * sections with a tool of one name.
   */
  render(options: RenderOptions = {}): RenderedPrompt<T> {
    return renderPrompt(this.template, this.#bound, options);
  }

  /** `render()` with the values that are bound now, whatever is bound later. */
  capture(): (options?: RenderOptions) => RenderedPrompt<T> {
    // Somebody's own render() knows what it renders with.
    if (this.render !== BoundPrompt.prototype.render) return (options) => this.render(options);
    const bound = new Map(this.#bound);
    return (options = {}) => renderPrompt(this.template, bound, options);
  }
}

/** A template with the values it is rendered with. `T` is the type of its output. */
export type Prompt<T> = BoundPrompt<T>;

/** Takes a template, or the fields of one. */
export const Prompt: {
  new <Item>(fields: ArrayPromptTemplateConfig<Item>): Prompt<Item[]>;
  new <T = null>(template: PromptTemplate<T>): Prompt<T>;
  new <T = null>(fields: PromptTemplateConfig<T>): Prompt<T>;
} = BoundPrompt;
