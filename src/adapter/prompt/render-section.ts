import { describeValue } from '../../util/describe-value.js';
import { errorText } from '../../util/error-text.js';
import { PromptRenderError } from '../errors/prompt-errors.js';
import { OPEN_SECTIONS } from './open-sections-tool.js';
import type { ParamsToken } from './params.js';
import type {
  AnySection,
  AnyTool,
  RenderedSection,
  SectionContext,
  SectionPlace,
  Visibility,
  VisibilityOverrideMap,
} from './prompt-types.js';
import { TextSection } from './section.js';
import { renderToolPayload } from './tool-result.js';

/** A section with its text. */
export interface Written extends RenderedSection {
  readonly section: AnySection;
  readonly text: string;
}

/** Writes the sections of one rendering. */
export class SectionRenderer {
  readonly #bound: ReadonlyMap<ParamsToken<unknown, unknown>, unknown>;
  readonly #context: SectionContext;
  /** The first one that names a section decides. */
  readonly #overrides: readonly VisibilityOverrideMap[];

  constructor(
    bound: ReadonlyMap<ParamsToken<unknown, unknown>, unknown>,
    context: SectionContext,
    overrides: readonly VisibilityOverrideMap[],
  ) {
    this.#bound = bound;
    this.#context = context;
    this.#overrides = overrides;
  }

  /** The bound value, else the section's default. */
  paramsOf({ params, defaultParams }: AnySection): unknown {
    return params !== undefined && this.#bound.has(params) ? this.#bound.get(params) : defaultParams;
  }

  /** The section and its visible children. Empty when it is disabled. */
  write = (place: SectionPlace): readonly Written[] => {
    if (!this.#isEnabled(place)) return [];
    const { section, path, number } = place;
    const visibility = this.#visibilityOf(place);
    const params = this.paramsOf(section);
    const heading = `${'#'.repeat(place.depth + 2)} ${number}. ${section.title} (${path})`;
    const parts =
      visibility === 'summary'
        ? [this.#text(place, () => section.renderSummary(params, this.#context)), this.#closing(place)]
        : [
            this.#text(place, () => section.renderBody(params, this.#context)),
            ...section.tools.map((tool) => this.#text(place, () => exampleBlock(tool))),
          ];
    const text = [section instanceof TextSection ? '' : heading, ...parts].filter((part) => part !== '').join('\n\n');
    const own: Written = { section, path, number, visibility, text };
    return visibility === 'summary' ? [own] : [own, ...place.children.flatMap(this.write)];
  };

  /** A class of the user may return anything. */
  #text(place: SectionPlace, write: () => unknown): string {
    const text = this.#call(place, write);
    if (typeof text === 'string') return text;
    throw new PromptRenderError(`Section "${place.path}" must render to a string, got ${describeValue(text)}`, {
      sectionPath: place.path,
    });
  }

  #isEnabled(place: SectionPlace): boolean {
    const { section } = place;
    const params = this.paramsOf(section);
    const answer: unknown = this.#call(place, () => section.isEnabled(params, this.#context));
    if (typeof answer === 'boolean') return answer;
    // A promise is truthy: an asynchronous function would always say yes.
    throw new PromptRenderError(
      `\`enabled\` of section "${place.path}" must return a boolean, got ${describeValue(answer)}`,
      { sectionPath: place.path },
    );
  }

  #visibilityOf(place: SectionPlace): Visibility {
    const { section, path } = place;
    if (section.summary === undefined) return 'full';
    for (const overrides of section.acceptsOverrides ? this.#overrides : []) {
      const override = Object.hasOwn(overrides, path) ? overrides[path] : undefined;
      if (override !== undefined) return override;
    }
    const params = this.paramsOf(section);
    const own: unknown = this.#call(place, () => section.visibility(params, this.#context));
    if (own === 'full' || own === 'summary') return own;
    throw new PromptRenderError(
      `\`visibility\` of section "${path}" must be 'full' or 'summary', got ${describeValue(own)}`,
      { sectionPath: path },
    );
  }

  #closing(place: SectionPlace): string {
    const children = place.children.filter((child) => this.#isEnabled(child));
    const names = children.map(({ path }) => `\`${path}\``).join(', ');
    const more = children.length === 0 ? '' : ` It contains ${names}.`;
    if (!place.section.acceptsOverrides) return `[This section is summarized.${more}]`;
    return `[This section is summarized. Call \`${OPEN_SECTIONS}\` with the key \`${place.path}\` to read it in full.${more}]`;
  }

  /** Adds the section to errors of the functions that a caller wrote. */
  #call<Answer>({ path, section }: SectionPlace, call: () => Answer): Answer {
    try {
      return call();
    } catch (error) {
      const isOurs = error instanceof PromptRenderError;
      const unbound =
        section.params !== undefined && this.paramsOf(section) === undefined
          ? ` (nothing is bound to its parameter set "${section.params.name}")`
          : '';
      throw new PromptRenderError(`Section "${path}": ${errorText(error)}${unbound}`, {
        sectionPath: path,
        placeholder: isOurs ? error.placeholder : undefined,
        cause: isOurs && error.cause !== undefined ? error.cause : error,
        ...(isOurs && error.hint !== undefined ? { hint: error.hint } : {}),
      });
    }
  }
}

/** The examples of a tool as Markdown; empty when it has none. */
function exampleBlock({ name, examples }: AnyTool): string {
  if (examples.length === 0) return '';
  const blocks = examples.map(({ description, input, output }) => {
    const parts = [
      `- ${description.trim()}`,
      'Input:',
      fenced(asJson(input)),
      'Output:',
      fenced(renderToolPayload(output)),
    ];
    return parts.join('\n').replaceAll('\n', '\n  ');
  });
  return [`Examples of \`${name}\`:`, ...blocks].join('\n\n');
}

function asJson(input: unknown): string {
  return input === undefined ? '{}' : (JSON.stringify(input, undefined, 2) ?? '{}');
}

/** Uses a fence that the text does not contain. */
function fenced(text: string): string {
  const runs = text.match(/`+/g) ?? [];
  const fence = '`'.repeat(runs.reduce((longest, { length }) => Math.max(longest, length), 2) + 1);
  return `${fence}\n${text}\n${fence}`;
}
