import { describeValue } from '../../util/describe-value.js';
import { PromptValidationError } from '../errors/prompt-errors.js';
import { VisibilityOverrides } from '../state/index.js';
import { openSectionsTool } from './open-sections-tool.js';
import type { ParamsToken } from './params.js';
import { readPromptFields } from './prompt-fields.js';
import type { PromptTemplate, RenderedPrompt, RenderOptions, VisibilityOverrideMap } from './prompt-types.js';
import { SectionRenderer, type Written } from './render-section.js';
import { refuseSharedToolNames } from './section-tree.js';

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
