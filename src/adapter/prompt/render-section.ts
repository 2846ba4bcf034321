import { errorText } from '../../util/error-text.js';
import { boolean, oneOf, string, type Validator } from '../../util/validate.js';
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

const VISIBILITY = oneOf('full', 'summary');

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
        ? [
            this.#call(place, 'renderSummary', string, () => section.renderSummary(params, this.#context)),
            this.#closing(place),
          ]
        : [
            this.#call(place, 'renderBody', string, () => section.renderBody(params, this.#context)),
            ...section.tools.map((tool) => this.#call(place, 'tools', string, () => exampleBlock(tool))),
          ];
    const text = [section instanceof TextSection ? '' : heading, ...parts].filter((part) => part !== '').join('\n\n');
    const own: Written = { section, path, number, visibility, text };
    return visibility === 'summary' ? [own] : [own, ...place.children.flatMap(this.write)];
  };

  #isEnabled(place: SectionPlace): boolean {
    const { section } = place;
    // A promise is truthy: an asynchronous function would always say yes.
    return this.#call(place, 'enabled', boolean, () => section.isEnabled(this.paramsOf(section), this.#context));
  }

  #visibilityOf(place: SectionPlace): Visibility {
    const { section, path } = place;
    if (section.summary === undefined) return 'full';
    for (const overrides of section.acceptsOverrides ? this.#overrides : []) {
      const override = Object.hasOwn(overrides, path) ? overrides[path] : undefined;
      if (override !== undefined) return override;
    }
    const params = this.paramsOf(section);
    return this.#call(place, 'visibility', VISIBILITY, () => section.visibility(params, this.#context));
  }

  #closing(place: SectionPlace): string {
    const children = place.children.filter((child) => this.#isEnabled(child));
    const names = children.map(({ path }) => `\`${path}\``).join(', ');
    const more = children.length === 0 ? '' : ` It contains ${names}.`;
    if (!place.section.acceptsOverrides) return `[This section is summarized.${more}]`;
    return `[This section is summarized. Call \`${OPEN_SECTIONS}\` with the key \`${place.path}\` to read it in full.${more}]`;
  }

  /** Calls what a user wrote, which may return anything. Its errors, too, name the section. */
  #call<Answer>({ path, section }: SectionPlace, method: string, validator: Validator, call: () => Answer): Answer {
    let answer: Answer;
    try {
      answer = call();
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
    const problem = validator(answer, path);
    if (problem === undefined) return answer;
    const { expected, got } = problem;
    throw new PromptRenderError(`\`${method}\` of section "${path}" must give ${expected}, got ${got}`, {
      sectionPath: path,
    });
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
