import { describeValue } from '../../util/describe-value.js';
import { PromptValidationError } from '../errors/prompt-errors.js';
import { readPromptFields } from './prompt-fields.js';
import { renderToolPayload } from './render-payload.js';

export interface ToolResultFields<R> {
  /** What the model sees when there is no value, or the value is kept from it. */
  readonly message: string;
  /** For the session and the program; the model sees it rendered. */
  readonly value?: R | undefined;
  /** False: the model sees an error. @defaultValue true */
  readonly success?: boolean | undefined;
  /** The model sees only the message. @defaultValue false */
  readonly excludeValueFromContext?: boolean | undefined;
}

const FIELDS = ['message', 'value', 'success', 'excludeValueFromContext'];

/** What a tool's handler gives. */
export class ToolResult<R = unknown> {
  readonly message: string;
  readonly value: R | undefined;
  readonly success: boolean;
  readonly excludeValueFromContext: boolean;

  constructor(fields: ToolResultFields<R>) {
    const read = readPromptFields(fields, 'ToolResult', FIELDS);
    const { message, value } = fields;
    if (typeof message !== 'string') {
      throw new PromptValidationError(
        `\`message\` of a ToolResult must be a string, but is ${describeValue(message)}`,
      );
    }
    this.message = message;
    this.value = value;
    this.success = read.boolean('success', true);
    this.excludeValueFromContext = read.boolean('excludeValueFromContext', false);
  }

  static ok<R = undefined>(message: string, value?: R): ToolResult<R> {
    return resultOf<R>({ message, value });
  }

  /** The model sees `message` as an error. */
  static failed(message: string): ToolResult<never> {
    return resultOf<never>({ message, success: false });
  }

  /** What the model sees: the value (see {@link renderToolPayload}), or the message when that gives nothing. */
  render(): string {
    const text = this.excludeValueFromContext ? '' : renderToolPayload(this.value);
    return text === '' ? this.message : text;
  }
}

/** Outside the class: a class that names itself inside is renamed by the bundler. */
function resultOf<R>(fields: ToolResultFields<R>): ToolResult<R> {
  return new ToolResult<R>(fields);
}
