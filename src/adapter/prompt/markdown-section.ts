import { describeValue } from '../../util/describe-value.js';
import { PromptValidationError } from '../errors/prompt-errors.js';
import { fillIn } from './fill-in.js';
import { Section, type SectionConfig } from './section.js';

export interface MarkdownSectionConfig<P, Input = P> extends SectionConfig<P, Input> {
  /**
   * Markdown. Its common indentation is removed; `$name` and `${name}` become the parameter of that name, `$$` a dollar
   * sign.
   */
  readonly template: string;
}

/** A section whose text is a Markdown template. Its `summary` is a template too. */
export class MarkdownSection<P = undefined, Input = P> extends Section<P, Input> {
  readonly template: string;

  /** @param ownFields - As for `Section`. */
  constructor(config: MarkdownSectionConfig<P, Input>, ownFields?: readonly string[]) {
    super(config, fieldsOf(new.target, ownFields));
    if (typeof config.template !== 'string') {
      throw new PromptValidationError(
        `\`template\` of section "${config.key}" must be a string, but is ${describeValue(config.template)}`,
        { sectionPath: config.key },
      );
    }
    this.template = config.template;
  }

  override renderBody(params: P): string {
    return fillIn(this.template, params);
  }

  override renderSummary(params: P): string {
    return fillIn(this.summary ?? '', params);
  }
}

/** Outside the class: a class that names itself inside is renamed by the bundler. */
function fieldsOf(
  target: unknown,
  ownFields: readonly string[] | undefined,
): readonly string[] | undefined {
  if (ownFields === undefined && target !== MarkdownSection) return undefined;
  // What is no list is refused by the base class.
  return Array.isArray(ownFields ?? []) ? ['template', ...(ownFields ?? [])] : ownFields;
}
