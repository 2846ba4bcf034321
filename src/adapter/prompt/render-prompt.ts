import { describeValue } from '../../util/describe-value.js';
import { errorText } from '../../util/error-text.js';
import { boolean, oneOf, string, type Validator } from '../../util/validate.js';
import { PromptRenderError, PromptValidationError } from '../errors/prompt-errors.js';
import { VisibilityOverrides } from '../state/index.js';
import { OPEN_SECTIONS, openSectionsTool } from './open-sections-tool.js';
import type { ParamsToken } from './params.js';
import { readPromptFields } from './prompt-fields.js';
import type {
  AnySection,
  AnyTool,
  PromptTemplate,
  RenderedPrompt,
  RenderedSection,
  RenderOptions,
  SectionContext,
  SectionPlace,
  Visibility,
  VisibilityOverrideMap,
} from './prompt-types.js';
import { TextSection } from './section.js';
import { refuseSharedToolNames } from './section-tree.js';
import { renderToolPayload } from './tool-result.js';

/** @internal {@link Prompt.render} */
export function renderPrompt<T>(
  template: PromptTemplate<T>,
  bound: ReadonlyMap<ParamsToken<unknown, unknown>, unknown>,
  options: RenderOptions,
): RenderedPrompt<T> {
  readPromptFields(options, 'options', ['session', 'visibilityOverrides', 'deadline']);
  const { session, visibilityOverrides = {}, deadline } = options;
  refuseUnusedParams(template, bound);
  checkOverrides(template, visibilityOverrides);
  const renderer = new SectionRenderer(bound, { session }, [
    visibilityOverrides,
    session?.query(VisibilityOverrides).latest() ?? {},
  ]);
  const written = template.places.filter(({ depth }) => depth === 0).flatMap(renderer.write);
  const full = written.filter(({ visibility }) => visibility === 'full');
  refuseSharedToolNames(full);
  const tools = full.flatMap(({ section }) => section.tools);
  const summarised = written.filter(({ visibility, section }) => visibility === 'summary' && section.acceptsOverrides);
  return {
    text: written.map(({ text }) => text).join('\n\n'),
    tools:
      summarised.length === 0
        ? tools
        : [
            ...tools,
            openSectionsTool({
              summarised: summarised.map(({ path }) => path),
              all: template.places.map(({ path }) => path),
              overrides: visibilityOverrides,
            }),
          ],
    output: template.output,
    outputContainer: template.outputContainer,
    allowExtraKeys: template.allowExtraKeys,
    deadline,
    renderInputs: inputsOf(written, renderer),
    sections: written.map(({ path, number, visibility }) => ({ path, number, visibility })),
  };
}

function refuseUnusedParams(
  { places, ns, key }: PromptTemplate<unknown>,
  bound: ReadonlyMap<ParamsToken<unknown, unknown>, unknown>,
): void {
  const used = new Set<unknown>(places.map(({ section }) => section.params));
  for (const params of bound.keys()) {
    if (used.has(params)) continue;
    throw new PromptValidationError(
      `The parameter set "${params.name}" is bound, but no section of "${ns}:${key}" uses it`,
      { hint: 'Name it as `params` of a section, or do not bind it.' },
    );
  }
}

function checkOverrides({ places }: PromptTemplate<unknown>, overrides: VisibilityOverrideMap): void {
  for (const [path, visibility] of Object.entries(overrides)) {
    const place = places.find((each) => each.path === path);
    if (place === undefined) {
      throw new PromptValidationError(`\`visibilityOverrides\` names "${path}", which is not a section of the prompt`, {
        hint: `The sections are ${places.map((each) => `"${each.path}"`).join(', ')}.`,
      });
    }
    if (!place.section.acceptsOverrides) {
      throw new PromptValidationError(`\`visibilityOverrides\` names "${path}", a section that accepts no overrides`, {
        sectionPath: path,
        hint: 'Leave it out, or set `acceptsOverrides` of the section.',
      });
    }
    if (visibility !== 'full' && visibility !== 'summary') {
      throw new PromptValidationError(
        `\`visibilityOverrides["${path}"]\` must be 'full' or 'summary', got ${describeValue(visibility)}`,
        { sectionPath: path },
      );
    }
  }
}

function inputsOf(written: readonly Written[], renderer: SectionRenderer): RenderedPrompt<unknown>['renderInputs'] {
  const used = new Map<unknown, { readonly params: string; readonly value: unknown }>();
  for (const { section } of written) {
    if (section.params === undefined || used.has(section.params)) continue;
    used.set(section.params, { params: section.params.name, value: renderer.paramsOf(section) });
  }
  return [...used.values()];
}

const VISIBILITY = oneOf('full', 'summary');

/** A section with its text. */
interface Written extends RenderedSection {
  readonly section: AnySection;
  readonly text: string;
}

/** Writes the sections of one rendering. */
class SectionRenderer {
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
      fenced(indented(input)),
      'Output:',
      fenced(renderToolPayload(output)),
    ];
    return parts.join('\n').replaceAll('\n', '\n  ');
  });
  return [`Examples of \`${name}\`:`, ...blocks].join('\n\n');
}

function indented(input: unknown): string {
  return input === undefined ? '{}' : (JSON.stringify(input, undefined, 2) ?? '{}');
}

/** Uses a fence that the text does not contain. */
function fenced(text: string): string {
  const runs = text.match(/`+/g) ?? [];
  const fence = '`'.repeat(runs.reduce((longest, { length }) => Math.max(longest, length), 2) + 1);
  return `${fence}\n${text}\n${fence}`;
}
