import type { BudgetTracker } from '../limits/budget-tracker.js';
import type { Deadline } from '../limits/deadline.js';
import type { PromptResponse } from '../report/run-report.js';
import type { JsonSchema, ResolvedType } from '../schema/index.js';
import type { Session, SliceKey } from '../state/index.js';
import type { ParamsToken } from './params.js';
import type { ToolResult } from './tool-result.js';

// Prompts, sections and tools refer to one another: a tool's handler gets the prompt that has the tool. One file for
// their types keeps the modules free of circles.

/** What prompts are made of, without the values. May be shared by any number of prompts. */
export interface PromptTemplate<T> {
  readonly ns: string;
  readonly key: string;
  readonly name: string | undefined;
  readonly sections: readonly AnySection[];
  /** Of one element when `outputContainer` is `array`; `undefined`: the prompt declares no output. */
  readonly output: ResolvedType<unknown> | undefined;
  readonly outputContainer: OutputContainer;
  /** Keep keys of the output that its type does not list. */
  readonly allowExtraKeys: boolean;
  readonly outputSlice: SliceKey<never> | undefined;
  /** Every section with its dotted path and number, in the order of the text. */
  readonly places: readonly SectionPlace[];
  /** Never set; carries `T`. */
  readonly outputType?: T;
}

/** A template with the values it is rendered with. `T` is the type of its output. */
export interface Prompt<T> extends Pick<PromptTemplate<T>, 'ns' | 'key' | 'name'> {
  readonly template: PromptTemplate<T>;
  /**
   * Binds a parameter set. A value bound before is replaced as a whole.
   * @returns the prompt itself.
   * @throws {@link ValidationError} the set has a type, and the value does not fit it.
   */
  bind<P, Input>(params: ParamsToken<P, Input>, value: NoInfer<Input>): this;
  /**
   * @throws {@link PromptRenderError} a placeholder without a value, or a function of a section that throws.
   * @throws {@link PromptValidationError} a bound parameter set or an override that no section answers to, or two
   * sections with a tool of one name.
   */
  render(options?: RenderOptions): RenderedPrompt<T>;
  /** `render()` with the values that are bound now, whatever is bound later. */
  capture(): (options?: RenderOptions) => RenderedPrompt<T>;
}

export interface RenderOptions {
  /** For the functions of sections, and for overrides that the next option does not name. */
  readonly session?: Session | undefined;
  /** By dotted path; wins over the session's and the section's own setting. */
  readonly visibilityOverrides?: VisibilityOverrideMap | undefined;
  readonly deadline?: Deadline | undefined;
}

export type Visibility = 'full' | 'summary';

/** By dotted path of the section. */
export type VisibilityOverrideMap = Readonly<Record<string, Visibility>>;

export type OutputContainer = 'object' | 'array';

/** A section as it was rendered. Disabled ones, and those inside of summarised ones, are absent. */
export interface RenderedSection {
  /** Dotted keys from the root. */
  readonly path: string;
  /** `1.2` */
  readonly number: string;
  readonly visibility: Visibility;
}

/** The text of a prompt, its tools and its output type `T`. */
export interface RenderedPrompt<T>
  extends Pick<PromptTemplate<T>, 'output' | 'outputContainer' | 'allowExtraKeys' | 'outputType'> {
  readonly text: string;
  /** In the order of the sections; `open_sections` is the last when a section is summarised. */
  readonly tools: readonly AnyTool[];
  readonly deadline: Deadline | undefined;
  /** The parameter sets that were used, by name. */
  readonly renderInputs: readonly { readonly params: string; readonly value: unknown }[];
  readonly sections: readonly RenderedSection[];
}

/** What a section may look at while it is rendered. */
export interface SectionContext {
  readonly session: Session | undefined;
}

/** A `Section` with any parameters. */
export interface AnySection {
  readonly title: string;
  readonly key: string;
  readonly params: ParamsToken<unknown, unknown> | undefined;
  readonly defaultParams: unknown;
  readonly children: readonly AnySection[];
  readonly tools: readonly AnyTool[];
  readonly summary: string | undefined;
  readonly acceptsOverrides: boolean;
  /** It has no condition. */
  readonly isAlwaysEnabled: boolean;
  isEnabled(params: unknown, context: SectionContext): boolean;
  visibility(params: unknown, context: SectionContext): Visibility;
  renderBody(params: unknown, context: SectionContext): string;
  renderSummary(params: unknown, context: SectionContext): string;
}

/** A section's place in its prompt. Fixed when the template is built. */
export interface SectionPlace extends Pick<RenderedSection, 'path' | 'number'> {
  readonly section: AnySection;
  /** 0 for the sections of the prompt itself. */
  readonly depth: number;
  /** Neither it nor a section around it has a condition. */
  readonly isAlwaysThere: boolean;
  readonly children: readonly SectionPlace[];
}

/** A `Tool` with any parameters and results. */
export interface AnyTool {
  readonly name: string;
  readonly description: string;
  readonly params: ResolvedType<unknown> | undefined;
  readonly handler: ToolHandler<unknown, unknown> | undefined;
  readonly examples: readonly ToolExample<unknown, unknown>[];
  readonly acceptsOverrides: boolean;
  readonly resultSlice: SliceKey<never> | undefined;
  readonly inputSchema: JsonSchema;
}

/** A method type, so that a list can have tools of different parameters. */
type Bivariant<P, R> = {
  handle(params: P, call: { readonly context: ToolContext }): ToolResult<R> | Promise<ToolResult<R>>;
}['handle'];

/** Handles one call. The model gets what it throws as an error, and the evaluation continues. */
export type ToolHandler<P, R> = Bivariant<P, R>;

/** Shown to the model at the end of the section that offers the tool. */
export interface ToolExample<P, R> {
  readonly description: string;
  readonly input: P;
  readonly output: R;
}

/** The adapter as a tool sees it: enough to evaluate another prompt. */
export interface EvaluatingAdapter {
  readonly adapterName: string;
  evaluate<T>(
    prompt: Prompt<T>,
    options?: {
      readonly session?: Session;
      readonly deadline?: Deadline;
      readonly budgetTracker?: BudgetTracker;
      readonly signal?: AbortSignal;
    },
  ): Promise<PromptResponse<T>>;
}

/** What a handler knows about the run. Each call has its own. */
export interface ToolContext {
  readonly prompt: Prompt<unknown>;
  readonly renderedPrompt: RenderedPrompt<unknown>;
  readonly adapter: EvaluatingAdapter;
  readonly session: Session;
  readonly deadline: Deadline | undefined;
  readonly budgetTracker: BudgetTracker | undefined;
  /** The model's id of the call; `undefined` when the CLI gave none. */
  readonly callId: string | undefined;
  /** Fires when the evaluation ends or is aborted. */
  readonly signal: AbortSignal;
}
