import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { invalidArgument } from '../util/arguments.js';
import { type JsonObject, parseJsonObject } from '../util/json.js';
import { DriverFault } from './driver-protocol.js';

const EXCERPT = 200;
/** Members of the published schema, one for each kind of line. */
const KINDS = ['hello', 'observed', 'reply', 'command'] as const;
export type LineKind = (typeof KINDS)[number];

/** Judges lines of the driver protocol by the published schema. */
export class LineChecker {
  readonly #validators: ReadonlyMap<LineKind, ValidateFunction>;

  /**
   * @param schema - `schemas/driver.schema.json` of the data package.
   * @throws InvalidOptionError it is another schema, or none.
   */
  constructor(schema: JsonObject) {
    this.#validators = compiled(schema);
  }

  /**
   * Reads one line of a driver.
   *
   * @throws DriverFault it is no JSON object, or not what the schema says; the line is shown.
   */
  read(line: string): JsonObject {
    const value = parseJsonObject(line);
    if (value === undefined) {
      throw new DriverFault(`wrote a line that is no JSON object: ${excerpt(line)}`);
    }
    const problem = this.problem(kindOf(value), value);
    if (problem !== undefined) throw new DriverFault(`wrote ${excerpt(line)}: ${problem}`);
    return value;
  }

  /** What is wrong with a value, in words; `undefined` when nothing is. */
  problem(kind: LineKind, value: unknown): string | undefined {
    const validate = this.#validators.get(kind);
    if (validate === undefined || validate(value)) return undefined;
    return (validate.errors ?? []).slice(0, 3).map(describe).join('; ');
  }
}

function compiled(schema: JsonObject): ReadonlyMap<LineKind, ValidateFunction> {
  try {
    const ajv = new Ajv2020({ strict: false });
    ajv.addSchema(schema, 'driver');
    return new Map(KINDS.map((kind) => [kind, ajv.compile({ $ref: `driver#/$defs/${kind}` })]));
  } catch (cause) {
    const takes = 'A LineChecker takes the schema of the driver protocol';
    const cure = 'Pass the `driverSchema` of what loadData() gives.';
    throw invalidArgument('schema', takes, schema, cure, cause);
  }
}

function kindOf(value: JsonObject): LineKind {
  if (value.event === undefined) return 'reply';
  return value.event === 'hello' ? 'hello' : 'observed';
}

function describe({ instancePath, message, params }: ErrorObject): string {
  const where = instancePath === '' ? 'the line' : instancePath.slice(1).replaceAll('/', '.');
  const allowed = params.allowedValue ?? params.allowedValues;
  return `${where} ${message ?? 'is wrong'}${allowed === undefined ? '' : ` ${JSON.stringify(allowed)}`}`;
}

/** A line for a message: its start, and how long it was. */
export function excerpt(line: string): string {
  return line.length <= EXCERPT ? line : `${line.slice(0, EXCERPT)}… (${line.length} characters)`;
}
