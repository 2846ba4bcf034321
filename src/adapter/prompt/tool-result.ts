import { string } from '../../util/validate.js';
import { readPromptFields } from './prompt-fields.js';

export interface ToolResultFields<R> {
  /** What the model sees when there is no value, or the value is hidden from it. */
  readonly message: string;
  /** For the session and the program; the model sees it rendered. */
  readonly value?: R | undefined;
  /** False: the model sees an error. @defaultValue true */
  readonly success?: boolean | undefined;
  /** The model sees only the message. @defaultValue false */
  readonly excludeValueFromContext?: boolean | undefined;
}

const FIELDS = ['message', 'value', 'success', 'excludeValueFromContext'];

/** What a tool's handler returns. */
export class ToolResult<R = unknown> {
  readonly message: string;
  readonly value: R | undefined;
  readonly success: boolean;
  readonly excludeValueFromContext: boolean;

  constructor(fields: ToolResultFields<R>) {
    const read = readPromptFields(fields, 'ToolResult', FIELDS);
    read.require('message', string);
    this.message = fields.message;
    this.value = fields.value;
    this.success = read.boolean('success', true);
    this.excludeValueFromContext = read.boolean('excludeValueFromContext', false);
  }

  static ok<R = undefined>(message: string, value?: R): ToolResult<R> {
    return new ToolResult<R>({ message, value });
  }

  /** The model sees `message` as an error. */
  static failed(message: string): ToolResult<never> {
    return new ToolResult<never>({ message, success: false });
  }

  /** What the model sees: the value (see {@link renderToolPayload}), or the message when that is empty. */
  render(): string {
    const text = this.excludeValueFromContext ? '' : renderToolPayload(this.value);
    return text === '' ? this.message : text;
  }
}

/**
 * What the model sees of a value: nothing for `null` and `undefined`, the result of a `render()` method, strings as
 * they are, bytes as UTF-8, and JSON for everything else.
 */
export function renderToolPayload(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'string') return value;
  if (value instanceof Uint8Array) return new TextDecoder().decode(value);
  if (value instanceof ArrayBuffer) return new TextDecoder().decode(new Uint8Array(value));
  return rendered(value) ?? asJson(value);
}

function rendered(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  try {
    const { render } = value as { render?: unknown };
    if (typeof render !== 'function') return undefined;
    const text: unknown = render.call(value);
    return typeof text === 'string' ? text : undefined;
  } catch {
    // The JSON is more useful than the failure of a method that only formats it.
    return undefined;
  }
}

function asJson(value: unknown): string {
  try {
    return JSON.stringify(value, withBigInts) ?? String(value);
  } catch {
    // A cycle, or a `toJSON` that throws: the handler's message is shown instead.
    return '';
  }
}

function withBigInts(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
