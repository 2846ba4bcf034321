import type { ErrorObject, Options, ValidateFunction } from 'ajv';
import { errorText } from '../../util/error-text.js';
import { isJsonObject } from '../../util/json.js';
import { loadNow } from '../../util/load-now.js';
import { memberPath, pointerKeys } from '../../util/member-path.js';
import { isUnicodePattern } from '../../util/unicode-pattern.js';
import { PromptValidationError, type ValueIssue } from '../errors/prompt-errors.js';
import type { JsonSchema } from './json-schema.js';

/** What is wrong with a value; empty when it fits. Never changes the value. */
export type SchemaCheck = (value: unknown) => readonly ValueIssue[];

type Dialect = '2020-12' | '2019-09' | 'draft-07';
type AjvClass = typeof import('ajv').Ajv;

/** Schemas are written for a model first: unknown keywords and formats must not make a type unusable. */
const LENIENT: Options = { strict: false, allErrors: true, logger: false };

/**
 * @param where - Names the schema in errors, such as `Parameters of tool "find"`.
 * @throws {@link PromptValidationError} ajv cannot compile it; the message names the place in the schema.
 */
export function compileJsonSchema(schema: JsonSchema, where: string): SchemaCheck {
  const named = dialectOf(schema);
  try {
    return compile(schema, named ?? '2020-12', where);
  } catch (error) {
    // Tuples were written `items: [...]` before 2020-12, mostly without a `$schema`.
    if (named !== undefined) throw error;
    try {
      return compile(schema, 'draft-07', where);
    } catch {
      throw error;
    }
  }
}

function compile(schema: JsonSchema, dialect: Dialect, where: string): SchemaCheck {
  // `$async` would turn every answer into a promise. `$schema` was read already.
  const { $schema: _, $async: __, ...plain } = schema;
  let validate: ValidateFunction;
  try {
    const wrong = faultOf(plain, dialect);
    if (wrong !== undefined) throw new PromptValidationError(`${where}: ${wrong}`, HINT);
    // A new instance each time: schemas may have the same `$id`.
    validate = withFormats(new (AJV_CLASSES[dialect]())({ ...LENIENT, validateSchema: false, meta: false })).compile(
      plain,
    );
  } catch (error) {
    if (error instanceof PromptValidationError) throw error;
    throw new PromptValidationError(`${where}: the JSON Schema ${whyNot(error, plain)}`, { ...HINT, cause: error });
  }
  return (value) => (validate(value) ? [] : (validate.errors ?? []).map(toIssue(value)));
}

const HINT = { hint: 'Check the schema. A `$ref` can only point inside of it.' };

function whyNot(error: unknown, schema: JsonSchema): string {
  if (error instanceof RangeError) return 'is nested too deeply, or contains itself';
  const why = errorText(error);
  // ajv does not say where.
  const place = error instanceof SyntaxError ? badPattern(schema, '') : undefined;
  return place === undefined ? `cannot be compiled: ${why}` : `is not valid at ${place}: ${why}`;
}

function badPattern(value: unknown, path: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const place = memberPath(path, Array.isArray(value) ? Number(key) : key);
    const isBad =
      (key === 'pattern' && typeof inner === 'string' && !isUnicodePattern(inner)) ||
      (key === 'patternProperties' && isJsonObject(inner) && !Object.keys(inner).every(isUnicodePattern));
    const found = isBad ? place : badPattern(inner, place);
    if (found !== undefined) return found;
  }
  return undefined;
}

const metas = new Map<Dialect, InstanceType<AjvClass>>();

/** The first error that the meta-schema of the dialect finds. */
function faultOf(schema: JsonSchema, dialect: Dialect): string | undefined {
  let meta = metas.get(dialect);
  if (meta === undefined) {
    // Infinity would be `null` when it is sent.
    meta = withFormats(new (AJV_CLASSES[dialect]())({ ...LENIENT, strictNumbers: true }));
    metas.set(dialect, meta);
  }
  if (meta.validateSchema(schema) === true) return undefined;
  const [first] = meta.errors ?? [];
  if (first === undefined) return 'the JSON Schema is not valid';
  const { path, message } = toIssue(schema)(first);
  return `the JSON Schema is not valid${path === '' ? '' : ` at ${path}`}: ${message}`;
}

/** Loaded when first needed, and synchronously: constructors build types. The classes differ only in their options. */
const AJV_CLASSES: Readonly<Record<Dialect, () => AjvClass>> = {
  '2020-12': () => loadNow('ajv/dist/2020.js').Ajv2020,
  '2019-09': () => loadNow('ajv/dist/2019.js').Ajv2019,
  'draft-07': () => loadNow('ajv').Ajv,
};

function withFormats(ajv: InstanceType<AjvClass>): InstanceType<AjvClass> {
  loadNow('ajv-formats').default(ajv);
  return ajv;
}

function dialectOf({ $schema }: JsonSchema): Dialect | undefined {
  if (typeof $schema !== 'string') return undefined;
  if ($schema.includes('2020-12')) return '2020-12';
  if ($schema.includes('2019-09')) return '2019-09';
  return $schema.includes('draft-0') ? 'draft-07' : undefined;
}

function toIssue(root: unknown): (error: ErrorObject) => ValueIssue {
  return ({ instancePath, message = 'is not valid', params }) => {
    const path = keysOf(instancePath, root).reduce<string>(memberPath, '');
    const key: unknown = params.missingProperty ?? params.additionalProperty ?? params.unevaluatedProperty;
    if (typeof key === 'string') {
      return {
        path: memberPath(path, key),
        message: 'missingProperty' in params ? 'is required' : 'is not a known key',
      };
    }
    const allowed: unknown = params.allowedValues ?? params.allowedValue;
    if (allowed === undefined) return { path, message };
    return { path, message: `${message} (${excerpt(JSON.stringify(allowed))})` };
  };
}

function excerpt(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}...` : text;
}

/** The keys of a JSON pointer; a number where the value has an array. */
function keysOf(pointer: string, root: unknown): (string | number)[] {
  let at: unknown = root;
  return pointerKeys(pointer).map((key) => {
    const isIndex = Array.isArray(at);
    at = isIndex || isJsonObject(at) ? (at as Record<string, unknown>)[key] : undefined;
    return isIndex ? Number(key) : key;
  });
}
