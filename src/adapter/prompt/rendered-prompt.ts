import type { Deadline } from '../limits/deadline.js';
import type { ResolvedType } from '../schema/index.js';
import type { AnyTool } from './tool.js';

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

/** A prompt's text and what goes with it. `T` is the type of the output. */
export interface RenderedPrompt<T> {
  readonly text: string;
  /** In the order of the sections; `open_sections` is the last when a section is summarised. */
  readonly tools: readonly AnyTool[];
  /** Of one element when `outputContainer` is `array`; `undefined`: the prompt declares no output. */
  readonly output: ResolvedType<unknown> | undefined;
  readonly outputContainer: OutputContainer;
  /** Keep keys of the output that its type does not list. */
  readonly allowExtraKeys: boolean;
  readonly deadline: Deadline | undefined;
  /** The parameter sets that were used, by name. */
  readonly renderInputs: readonly { readonly params: string; readonly value: unknown }[];
  readonly sections: readonly RenderedSection[];
  /** Never set; carries `T`. */
  readonly outputType?: T;
}
