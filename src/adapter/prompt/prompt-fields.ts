import { PromptValidationError } from '../errors/prompt-errors.js';
import { type FieldReader, readFields } from '../options/read-fields.js';

/**
 * Reads the fields of a part of a prompt.
 * @param kind - what it is, such as `Tool`
 * @throws {@link PromptValidationError} no object, or a field that it does not have; so does every method.
 */
export function readPromptFields(config: unknown, kind: string, known: readonly string[]): FieldReader {
  const { key, name } = (config ?? {}) as { key?: unknown; name?: unknown };
  const own = [key, name].find((each) => typeof each === 'string' && each !== '');
  const where = own === undefined ? kind : `${kind} "${own}"`;
  const isSection = kind !== 'Prompt' && typeof key === 'string';
  const place = isSection ? { sectionPath: key } : {};
  return readFields(
    config,
    where,
    known,
    (message, _fields, options) => new PromptValidationError(message, { ...options, ...place }),
  );
}
