import type { ErrorObject } from 'ajv';

/** What a body that may have one of several forms is told apart by. */
const TAG = 'behavior';
/** A name that is longer is a text of somebody who plays with names. */
const SHOWN = 60;

interface Form {
  readonly properties: Readonly<Record<string, { readonly const?: unknown }>>;
}

/** The same schema, for Ajv: with the tag, it checks the form that is meant, and not all of them. */
export function toBeChecked(schema: object): object {
  return 'oneOf' in schema
    ? { type: 'object', required: [TAG], discriminator: { propertyName: TAG }, ...schema }
    : schema;
}

/** One sentence about the first thing that is wrong with a body: what it is, and what would be right. */
export function bodyFault(error: ErrorObject | undefined): string {
  if (error === undefined) return 'The body does not fit.';
  const { keyword, instancePath, params, parentSchema } = error;
  const name = instancePath === '' ? 'The body' : code(instancePath.slice(1).replaceAll('/', '.'));
  switch (keyword) {
    case 'additionalProperties':
      return `A body${formOf(parentSchema)} takes ${listOf(namesOf(parentSchema))}, and no ${code(params.additionalProperty)}.`;
    case 'required':
      return `The body${formOf(parentSchema)} must have ${code(params.missingProperty)}.`;
    case 'discriminator':
      return `${code(TAG)} must be ${tagsOf(parentSchema).join(' or ')}.`;
    case 'type':
      return `${name} must be ${aOrAn(params.type)}.`;
    case 'maxLength':
      return `${name} may have ${params.limit} characters.`;
    case 'minLength':
    case 'pattern':
      return `${name} must not be blank.`;
    default:
      return `${name} ${error.message ?? 'does not fit'}.`;
  }
}

/** Which form of a body is meant, where there are several. */
function formOf(schema: unknown): string {
  const { const: tag } = (schema as Partial<Form>).properties?.[TAG] ?? {};
  return tag === undefined ? '' : ` with ${code(TAG)} ${code(tag)}`;
}

function namesOf(schema: unknown): readonly string[] {
  return Object.keys((schema as Form).properties);
}

function tagsOf(schema: unknown): readonly string[] {
  return (schema as { readonly oneOf: readonly Form[] }).oneOf.map(({ properties }) => code(properties[TAG]?.const));
}

function listOf(names: readonly string[]): string {
  return names.map(code).join(', ');
}

function code(name: unknown): string {
  return `\`${String(name).slice(0, SHOWN)}\``;
}

function aOrAn(type: unknown): string {
  return /^[aeio]/.test(String(type)) ? `an ${type}` : `a ${type}`;
}
