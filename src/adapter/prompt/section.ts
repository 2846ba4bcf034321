import { errorText } from '../../util/error-text.js';
import { isJsonObject } from '../../util/json.js';
import { anything, custom, func, string } from '../../util/validate.js';
import type { AdapterConfigError } from '../errors/adapter-error.js';
import { PromptValidationError } from '../errors/prompt-errors.js';
import { wrongArgument } from '../options/read-fields.js';
import { parseValue } from '../schema/index.js';
import { fillIn } from './fill-in.js';
import type { ParamsToken } from './params.js';
import { readPromptFields } from './prompt-fields.js';
import type { AnySection, AnyTool, SectionContext, Visibility } from './prompt-types.js';

const KEY = /^[a-z0-9][a-z0-9._-]{0,63}$/;
const SECTION_KEY = custom(`a string that matches ${KEY.source}`, (key) => typeof key === 'string' && KEY.test(key));
const oneLine = custom(
  'one line that is not blank',
  (title) => typeof title === 'string' && /^[^\r\n]+$/.test(title.trim()),
);
const parameterSet = custom('what defineParams() gives', isJsonObject);

/** Method types, so that a list can have sections of different parameters. */
interface SectionFunctions<P> {
  enabled(params: P, context: SectionContext): boolean;
  visibility(params: P, context: SectionContext): Visibility;
}

/** `Input` is the type of the bound value, before its schema fills in defaults and transforms it. */
export interface SectionConfig<P, Input = P> {
  readonly title: string;
  /** `^[a-z0-9][a-z0-9._-]{0,63}$`; unique among its siblings. */
  readonly key: string;
  /** The parameter set that the functions and the text of this section get. */
  readonly params?: ParamsToken<P, Input> | ParamsToken<P, unknown> | undefined;
  /** Used when nothing is bound to `params`. Checked like `bind()`, so defaults of the type apply. */
  readonly defaultParams?: NoInfer<Input> | undefined;
  readonly children?: readonly AnySection[] | undefined;
  /** Offered while the section is rendered in full. */
  readonly tools?: readonly AnyTool[] | undefined;
  /** False: the section, its children and its tools are left out. The numbers of the others stay. */
  readonly enabled?: SectionFunctions<P>['enabled'] | undefined;
  /** Shown instead of text, children and tools while the visibility is `summary`. Without it, that has no effect. */
  readonly summary?: string | undefined;
  /** @defaultValue `'full'` */
  readonly visibility?: Visibility | SectionFunctions<P>['visibility'] | undefined;
  /** False: the visibility is the section's own, whatever the session or the caller asks for. @defaultValue true */
  readonly acceptsOverrides?: boolean | undefined;
}

const FIELDS: readonly string[] = [
  ...['title', 'key', 'params', 'defaultParams', 'children'],
  ...['tools', 'enabled', 'summary', 'visibility', 'acceptsOverrides'],
] as const satisfies readonly (keyof SectionConfig<unknown>)[];

/** A part of a prompt: a heading, and the text that a derived class writes below it. */
export class Section<P = undefined, Input = P> {
  readonly title: string;
  readonly key: string;
  readonly params: ParamsToken<P, unknown> | undefined;
  readonly defaultParams: P | undefined;
  readonly children: readonly AnySection[];
  readonly tools: readonly AnyTool[];
  readonly summary: string | undefined;
  readonly acceptsOverrides: boolean;
  /** Always there: it has no condition. */
  readonly isAlwaysEnabled: boolean;
  readonly #enabled: SectionFunctions<P>['enabled'] | undefined;
  readonly #visibility: SectionConfig<P, Input>['visibility'];

  /**
   * @param ownFields - The fields that a derived class adds to `config`: others are refused as misspelt. Without the
   * list, a derived class accepts any.
   * @throws {@link PromptValidationError} a key, title or default that cannot be used, or an unknown field.
   */
  constructor(config: SectionConfig<P, Input>, ownFields?: readonly string[]) {
    if (ownFields !== undefined && !Array.isArray(ownFields)) throw wrongFields(ownFields);
    const isOpen = ownFields === undefined && new.target !== Section;
    const known = isOpen ? Object.keys(config ?? {}) : [...FIELDS, ...(ownFields ?? [])];
    const read = readPromptFields(config, new.target.name, known);
    read.require('key', SECTION_KEY);
    read.require('title', oneLine);
    const { title, key } = config;
    this.title = title.trim();
    this.key = key;
    this.params = config.params;
    this.defaultParams = checkedDefaults(config);
    this.children = read.list<AnySection>('children', anything);
    this.tools = read.list<AnyTool>('tools', anything);
    read.check('enabled', func);
    read.check('params', parameterSet);
    this.summary = config.summary;
    this.acceptsOverrides = read.boolean('acceptsOverrides', true);
    this.isAlwaysEnabled = config.enabled === undefined;
    this.#enabled = config.enabled;
    this.#visibility = config.visibility ?? 'full';
  }

  isEnabled(params: P, context: SectionContext): boolean {
    return this.#enabled === undefined ? true : this.#enabled(params, context);
  }

  /** By the section's own setting. */
  visibility(params: P, context: SectionContext): Visibility {
    const own = this.#visibility;
    return typeof own === 'function' ? own(params, context) : (own ?? 'full');
  }

  /** The text below the heading; empty for none. */
  renderBody(_params: P, _context: SectionContext): string {
    return '';
  }

  /** The text below the heading while the section is summarised. */
  renderSummary(_params: P, _context: SectionContext): string {
    return this.summary ?? '';
  }
}

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
    const isOpen = ownFields === undefined && new.target !== MarkdownSection;
    // The base class refuses what is not a list.
    const isList = ownFields === undefined || Array.isArray(ownFields);
    super(config, isOpen || !isList ? ownFields : ['template', ...(ownFields ?? [])]);
    readPromptFields(config, 'MarkdownSection', Object.keys(config)).require('template', string);
    this.template = config.template;
  }

  override renderBody(params: P): string {
    return fillIn(this.template, params);
  }

  override renderSummary(params: P): string {
    return fillIn(this.summary ?? '', params);
  }
}

/** A section of plain text without a heading. Nothing in the text is a placeholder. */
export class TextSection extends Section {
  readonly text: string;

  constructor({ text, ...config }: SectionConfig<undefined> & { readonly text: string }) {
    super(config);
    this.text = text;
  }

  override renderBody(): string {
    return this.text;
  }
}

function checkedDefaults<P, Input>({ key, params, defaultParams }: SectionConfig<P, Input>): P | undefined {
  // Without a type nothing is changed: `Input` is `P`.
  if (params?.type === undefined || defaultParams === undefined) return defaultParams as P | undefined;
  try {
    return parseValue(params.type, defaultParams, { extra: 'forbid' });
  } catch (error) {
    throw new PromptValidationError(
      `\`defaultParams\` of section "${key}" do not fit the parameter set "${params.name}": ${errorText(error)}`,
      { sectionPath: key, cause: error },
    );
  }
}

function wrongFields(ownFields: unknown): AdapterConfigError {
  const cure = "Pass the names that the derived class adds to `config`: `super(config, ['limit'])`.";
  return wrongArgument('ownFields', 'A Section takes a list as its second argument', ownFields, cure);
}
