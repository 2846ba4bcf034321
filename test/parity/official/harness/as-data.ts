import * as ours from '../../../../src/errors.js';
import { AbortError } from './subject.js';

/** What users of errors look at, in both packages. */
const FIELDS = ['errorClass', 'errorCode', 'code', 'exitCode', 'signal'] as const;
const OUR_CLASSES = new Set(Object.keys(ours).filter((name) => name.endsWith('Error')));
/** The working directory is the home, and holds the temporary folder. */
const HOME = process.cwd();
/** The same as the name of a transcript folder. */
const HOME_KEY = HOME.replaceAll(/[^a-zA-Z0-9]/g, '-');
const TEST_DIR = /<home>\/tmp\/[\w-]+/g;
const SPARE = /\bspare-[\w-]{6}/g;
const UUID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g;

/** Classes of errors that only ours has: the official ones have no `errorClass` there. */
const OUR_ERROR_CLASSES: readonly unknown[] = ['invalid_option', 'query_closed'];

function isShared(value: unknown): boolean {
  return value !== undefined && value !== null && !OUR_ERROR_CLASSES.includes(value);
}

/** An error as both packages show it: its texts and fields count, the name of its class does not. */
export function errorAsData(error: unknown): unknown {
  if (!(error instanceof Error)) return error === undefined ? undefined : { thrown: asData(error) };
  const fields = FIELDS.flatMap((name) => {
    const value: unknown = Reflect.get(error, name);
    return isShared(value) ? [[name, value] as const] : [];
  });
  return {
    isError: true,
    message: scrub(error.message),
    isAbortError: error instanceof AbortError,
    ...Object.fromEntries(fields),
  };
}

/**
 * A copy that can be compared across processes: errors as above, what rows keep of errors without what is only
 * ours, uuids as `<uuid>`.
 */
export function asData(value: unknown): unknown {
  if (typeof value === 'string') return OUR_CLASSES.has(value) ? 'Error' : scrub(value);
  if (value instanceof Error) return errorAsData(value);
  if (typeof value === 'function') return '<function>';
  if (Array.isArray(value)) return value.map(asData);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value);
  const isKeptError = 'errorClass' in value && 'message' in value;
  const shown = isKeptError
    ? [
        ['isError', true] as const,
        ...entries.filter(
          ([name, member]) => isShared(member) && ['message', 'errorClass', 'errorCode'].includes(name),
        ),
      ]
    : entries;
  return Object.fromEntries(shown.map(([name, member]) => [name, asData(member)]));
}

export function scrub(text: string): string {
  return text
    .replaceAll(HOME_KEY, '<home-key>')
    .replaceAll(HOME, '<home>')
    .replaceAll(TEST_DIR, '<dir>')
    .replaceAll(SPARE, 'spare-<id>')
    .replaceAll(UUID, '<uuid>');
}
