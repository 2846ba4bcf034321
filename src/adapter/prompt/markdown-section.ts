import { describeValue } from '../../util/describe-value.js';
import { PromptValidationError } from '../errors/prompt-errors.js';
import { fillIn } from './fill-in.js';
import { Section, type SectionConfig } from './section.js';

export interface MarkdownSectionConfig<P> extends SectionConfig<P> {
  /**
   * Markdown. Its common indentation is removed; `$name` and `${name}` become the parameter of that name, `$$` a dollar
   * sign.
   */
  readonly template: string;
}

/** A section whose text is a Markdown template. Its `summary` is a template too. */
export class MarkdownSection<P = undefined> extends Section<P> {
  readonly template: string;

  constructor(config: MarkdownSectionConfig<P>) {
    super(config);
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
