import { AdapterError, type AdapterErrorOptions, advise } from './adapter-error.js';

/** One thing wrong with a value. */
export interface ValueIssue {
  /** Dotted, with indexes in brackets: `items[0].name`. Empty for the value itself. */
  readonly path: string;
  readonly message: string;
}

/** A value that does not fit its type (`parseValue`). */
export class ValidationError extends AdapterError {
  override name = 'ValidationError';
  readonly issues: readonly ValueIssue[];

  constructor(message: string, issues: readonly ValueIssue[], options: AdapterErrorOptions = {}) {
    super(message, 'value_invalid', options);
    this.issues = issues;
  }
}

export interface PromptErrorPlace extends AdapterErrorOptions {
  /** Dotted keys of the section, from the root. */
  readonly sectionPath?: string | undefined;
  readonly placeholder?: string | undefined;
}

/** A template, section, tool or schema that is wrong however it is bound. */
export class PromptValidationError extends AdapterError {
  override name = 'PromptValidationError';
  readonly sectionPath: string | undefined;
  readonly placeholder: string | undefined;

  constructor(message: string, options: PromptErrorPlace = {}) {
    super(message, 'prompt_invalid', options);
    this.sectionPath = options.sectionPath;
    this.placeholder = options.placeholder;
  }
}

/** A prompt that cannot be rendered with what is bound to it. */
export class PromptRenderError extends AdapterError {
  override name = 'PromptRenderError';
  readonly sectionPath: string | undefined;
  readonly placeholder: string | undefined;

  constructor(message: string, options: PromptErrorPlace = {}) {
    super(message, 'prompt_render_failed', options);
    this.sectionPath = options.sectionPath;
    this.placeholder = options.placeholder;
  }
}

/** The model asked for summarised sections. Evaluate again with `requestedOverrides` as `visibilityOverrides`. */
export class VisibilityExpansionRequired extends AdapterError {
  override name = 'VisibilityExpansionRequired';
  /** By dotted path of the section. */
  readonly requestedOverrides: Readonly<Record<string, 'full' | 'summary'>>;
  readonly reason: string;
  readonly sectionKeys: readonly string[];

  constructor(
    requestedOverrides: Readonly<Record<string, 'full' | 'summary'>>,
    reason: string,
    sectionKeys: readonly string[],
  ) {
    super(
      `The model asks to open ${sectionKeys.map((key) => `"${key}"`).join(', ')}`,
      'visibility_expansion_required',
      { retryAdvice: advise('after_change', 'Evaluate again with `requestedOverrides` as `visibilityOverrides`.') },
    );
    this.requestedOverrides = requestedOverrides;
    this.reason = reason;
    this.sectionKeys = sectionKeys;
  }
}
