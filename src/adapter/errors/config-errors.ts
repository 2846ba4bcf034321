import { AdapterError, type AdapterErrorOptions } from './adapter-error.js';

/** A configuration that cannot be used, or a machine that cannot give what it asks for. Nothing was sent to a model. */
export class AdapterConfigError extends AdapterError {
  override name = 'AdapterConfigError';
  /** Paths of the fields, such as `isolation.sandbox.required`. */
  readonly fields: readonly string[];

  constructor(message: string, fields: readonly string[], options: AdapterErrorOptions = {}) {
    super(message, 'adapter_config_invalid', options);
    this.fields = fields;
  }
}

/** Model parameters that the CLI has no counterpart for and whose loss would change results. */
export class UnsupportedParameterError extends AdapterError {
  override name = 'UnsupportedParameterError';
  /** Their names, in alphabetical order. */
  readonly fields: readonly string[];

  constructor(fields: readonly string[]) {
    const sorted = [...fields].sort();
    super(
      `Claude Code has no counterpart for ${sorted.map((name) => `\`${name}\``).join(', ')}`,
      'unsupported_parameter',
      { hint: 'Leave them out.' },
    );
    this.fields = sorted;
  }
}
