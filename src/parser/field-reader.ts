import type { MessageIssue } from '../errors.js';
import { describeValue } from '../util/describe-value.js';
import { isJsonObject, type JsonObject, stringField } from '../util/json.js';

/**
 * Reads the fields of one object of a frame. A required field that is missing or of another type is an issue, and reads
 * as an empty value of the right type, which the failed parse drops. An optional field that is missing, `null` or of
 * another type is `undefined`: a newer CLI may widen it, and the raw frame still has it.
 */
export class FieldReader {
  readonly #source: JsonObject;
  readonly #type: string;
  readonly #path: IssuePath;
  readonly #issues: IssueList;

  /** @param type - The frame's, for the texts of issues. */
  constructor(source: JsonObject, type: string, issues: IssueList, path: IssuePath = []) {
    this.#source = source;
    this.#type = type;
    this.#issues = issues;
    this.#path = path;
  }

  string(key: string): string {
    return this.#required(key, isString, 'a string') ?? '';
  }

  number(key: string): number {
    return this.#required(key, isNumber, 'a number') ?? 0;
  }

  boolean(key: string): boolean {
    return this.#required(key, isBoolean, 'true or false') ?? false;
  }

  object(key: string): JsonObject {
    return this.#required(key, isJsonObject, 'an object') ?? {};
  }

  array(key: string): readonly unknown[] {
    return this.#required(key, Array.isArray, 'an array') ?? [];
  }

  /** Present, whatever it is; `null` is present. */
  value(key: string): unknown {
    if (!(key in this.#source)) this.#missing(key);
    return this.#source[key];
  }

  optionalString(key: string): string | undefined {
    return stringField(this.#source, key);
  }

  optionalNumber(key: string): number | undefined {
    return this.#optional(key, isNumber);
  }

  optionalBoolean(key: string): boolean | undefined {
    return this.#optional(key, isBoolean);
  }

  optionalObject(key: string): JsonObject | undefined {
    return this.#optional(key, isJsonObject);
  }

  optionalArray(key: string): readonly unknown[] | undefined {
    return this.#optional(key, Array.isArray);
  }

  /** Whatever it is; a `null` counts as missing. */
  optionalValue(key: string): unknown {
    return this.#source[key] ?? undefined;
  }

  /** A reader for an object inside this one. */
  inside(key: string): FieldReader {
    return new FieldReader(this.object(key), this.#type, this.#issues, [...this.#path, key]);
  }

  wrong(key: string, expected: string): void {
    const got = describeValue(this.#source[key]);
    this.#issues.add(
      [...this.#path, key],
      `Invalid field in ${this.#type} message: '${key}' must be ${expected}, got ${got}`,
    );
  }

  #required<T>(key: string, accepts: (value: unknown) => value is T, expected: string): T | undefined {
    const value = this.#source[key];
    if (accepts(value)) return value;
    if (value === undefined) this.#missing(key);
    else this.wrong(key, expected);
    return undefined;
  }

  #optional<T>(key: string, accepts: (value: unknown) => value is T): T | undefined {
    const value = this.#source[key];
    return accepts(value) ? value : undefined;
  }

  #missing(key: string): void {
    this.#issues.add([...this.#path, key], `Missing required field in ${this.#type} message: '${key}'`);
  }
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean';
}

/** Where in a frame, as keys and indexes from the top. */
export type IssuePath = MessageIssue['path'];

/** What a parse of one frame found. */
export type ParseResult<T> =
  | { readonly ok: true; readonly message: T }
  | {
      readonly ok: false;
      readonly issues: readonly [MessageIssue, ...MessageIssue[]];
      /** The value as it came. */
      readonly raw: unknown;
    };

/** Collects the issues of one frame. One instance per parse. */
export class IssueList {
  readonly #issues: MessageIssue[] = [];

  add(path: IssuePath, message: string): void {
    this.#issues.push({ path, message });
  }

  /** The parse's result: the message, unless something was wrong with it. */
  settle<T>(message: T, raw: unknown): ParseResult<T> {
    const [first, ...rest] = this.#issues;
    return first === undefined ? { ok: true, message } : { ok: false, issues: [first, ...rest], raw };
  }
}
