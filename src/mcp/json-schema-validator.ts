import type { ErrorObject, ValidateFunction } from 'ajv';
import type { JsonObject } from '../util/json.js';
import type { StandardIssue, ValidateArgs } from './standard-schema.js';

/**
 * Checks arguments against a plain JSON Schema and fills in its defaults. ajv is loaded and the schema
 * compiled at the first call.
 */
export function jsonSchemaValidator(schema: JsonObject): ValidateArgs {
  let compiled: Promise<ValidateFunction> | undefined;
  return async (args) => {
    compiled ??= compile(schema);
    const validate = await compiled;
    // ajv writes the defaults into what it checks; the frame stays as it came.
    const value = structuredClone(args);
    return validate(value) ? { value } : { issues: (validate.errors ?? []).map(toIssue) };
  };
}

async function compile(schema: JsonObject): Promise<ValidateFunction> {
  const { default: formats } = await import('ajv-formats');
  const draft = String(schema.$schema ?? '');
  const { Ajv } = draft.includes('2020-12')
    ? { Ajv: (await import('ajv/dist/2020.js')).Ajv2020 }
    : await import('ajv');
  // Schemas are written for a model first: unknown keywords and formats must not make a tool unusable.
  const ajv = new Ajv({ strict: false, useDefaults: true, allErrors: true, logger: false });
  formats.default(ajv);
  return ajv.compile(schema);
}

function toIssue({ instancePath, message, params }: ErrorObject): StandardIssue & JsonObject {
  const path = instancePath.split('/').slice(1).map(unescapePointer);
  return { path, message: message ?? 'is not valid', params };
}

function unescapePointer(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~');
}
