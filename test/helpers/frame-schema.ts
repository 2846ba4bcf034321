import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { isJsonObject, type JsonObject } from '../../src/util/json.js';

/** The published schema of frames, for tests. Compiled definition by definition, when one is asked for. */

const FILE = new URL('../../packages/conformance/schemas/frames.schema.json', import.meta.url);

export type Side = 'cli' | 'host';

export interface FrameSchema {
  readonly $id: string;
  readonly $defs: Readonly<Record<string, JsonObject>>;
}

let schema: FrameSchema | undefined;
let ajv: Ajv2020 | undefined;
const compiled = new Map<string, ValidateFunction>();

export function frameSchema(): FrameSchema {
  schema ??= JSON.parse(readFileSync(FILE, 'utf8')) as FrameSchema;
  return schema;
}

/** The definition a frame belongs to by its tags, such as `cli.system.init`. It may not exist. */
export function definitionOf(side: Side, frame: JsonObject): string {
  const type = String(frame.type);
  if (type === 'system') return `${side}.system.${frame.subtype}`;
  if (type === 'result') return `${side}.result.${frame.subtype === 'success' ? 'success' : 'error'}`;
  if (type === 'control_request') return `${side}.${type}.${subtypeIn(frame.request)}`;
  if (type === 'control_response') return `${side}.${type}.${subtypeIn(frame.response)}`;
  return `${side}.${type}`;
}

export function hasDefinition(name: string): boolean {
  return Object.hasOwn(frameSchema().$defs, name);
}

/** What is wrong with the value, or `undefined`. */
export function errorsUnder(definition: string, value: unknown): string | undefined {
  const validate = validatorOf(definition);
  if (validate(value)) return undefined;
  return ajv?.errorsText(validate.errors, { dataVar: definition });
}

/** The same for a whole frame: under its own definition, or as one of the future when it has none. */
export function frameErrors(side: Side, frame: unknown): string | undefined {
  if (!isJsonObject(frame)) return `a frame is an object, not ${JSON.stringify(frame)}`;
  const name = definitionOf(side, frame);
  return errorsUnder(hasDefinition(name) ? name : `${side}.unknown`, frame);
}

/** The same for what we write ourselves: a frame without a definition of its own is a misspelled one. */
export function writtenFrameErrors(frame: unknown): string | undefined {
  if (!isJsonObject(frame)) return frameErrors('host', frame);
  const name = definitionOf('host', frame);
  return hasDefinition(name) ? errorsUnder(name, frame) : `no definition ${name}`;
}

/**
 * What is wrong with the payload of a success answer to a control request of the CLI. Nothing is when the schema says
 * nothing about answers to that subtype.
 */
export function answerErrors(subtype: string, payload: unknown): string | undefined {
  const name = `host.answer.${subtype}`;
  if (hasDefinition(name)) return errorsUnder(name, payload);
  const hasVariants = Object.keys(frameSchema().$defs).some((each) => each.startsWith(`${name}.`));
  if (!hasVariants) return undefined;
  const variant = `${name}.${isJsonObject(payload) ? payload.behavior : typeof payload}`;
  return hasDefinition(variant) ? errorsUnder(variant, payload) : `no definition ${variant}`;
}

function validatorOf(definition: string): ValidateFunction {
  const known = compiled.get(definition);
  if (known !== undefined) return known;
  if (ajv === undefined) {
    ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
    ajv.addSchema(frameSchema());
  }
  const validate = ajv.getSchema(`${frameSchema().$id}#/$defs/${definition}`);
  if (validate === undefined) throw new Error(`no definition ${definition}`);
  compiled.set(definition, validate);
  return validate;
}

function subtypeIn(inner: unknown): unknown {
  return isJsonObject(inner) ? inner.subtype : undefined;
}
