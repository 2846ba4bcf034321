import { describeValue } from '../../util/describe-value.js';
import { PromptRenderError } from '../errors/prompt-errors.js';

const PLACEHOLDER = /\$(?:(\$)|([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\}|)/g;

/**
 * Removes the template's common indentation and replaces its placeholders. A placeholder inside of a value is not
 * replaced.
 * @throws {@link PromptRenderError} a placeholder without a value, or a dollar sign that starts none.
 */
export function fillIn(template: string, params: unknown): string {
  const text = dedent(template).trim();
  return text.replace(PLACEHOLDER, (_all, dollar, plain, braced, offset: number) => {
    if (dollar !== undefined) return '$';
    const name: unknown = plain ?? braced;
    if (typeof name === 'string') return parameterText(name, boundValue(name, params));
    throw new PromptRenderError(
      `The dollar sign ${placeOf(text, offset)} does not start a placeholder. Write \`$$\` for a dollar sign`,
    );
  });
}

function placeOf(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n');
  return `at line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`;
}

function boundValue(name: string, params: unknown): unknown {
  try {
    if (hasMember(params, name)) return (params as Record<string, unknown>)[name];
  } catch (error) {
    throw new PromptRenderError(`The parameter \`${name}\` cannot be read`, { placeholder: name, cause: error });
  }
  return undefined;
}

/** Own members and those of a class, but not those of every object. */
function hasMember(params: unknown, name: string): boolean {
  let at: unknown = params;
  while (typeof at === 'object' && at !== null && at !== Object.prototype) {
    if (Object.hasOwn(at, name)) return true;
    at = Object.getPrototypeOf(at);
  }
  return false;
}

function parameterText(name: string, value: unknown): string {
  if (value === undefined) {
    throw new PromptRenderError(`Nothing is bound to the placeholder \`${name}\``, {
      placeholder: name,
      hint: 'Bind it with `prompt.bind(params, { ... })`, or give the section `defaultParams`.',
    });
  }
  const text = stringified(name, value);
  if (text !== undefined) return text;
  throw new PromptRenderError(`The parameter \`${name}\` cannot be written as text: it is ${describeValue(value)}`, {
    placeholder: name,
  });
}

function stringified(name: string, value: unknown): string | undefined {
  if (typeof value === 'function' || typeof value === 'symbol') return undefined;
  try {
    const isText = typeof value !== 'object' || value === null || hasOwnText(value);
    return isText ? String(value) : JSON.stringify(value);
  } catch (cause) {
    throw new PromptRenderError(`The parameter \`${name}\` cannot be written as text`, { placeholder: name, cause });
  }
}

/** Whether its class defines `toString()`. The text of a Date depends on the time zone, its JSON does not. */
function hasOwnText(value: object): boolean {
  if (Array.isArray(value) || value instanceof Date) return false;
  const { toString: own } = value as { toString?: unknown };
  return typeof own === 'function' && own !== Object.prototype.toString;
}

/** Removes the white space that all lines start with. Blank lines do not count, and become empty. */
function dedent(text: string): string {
  const lines = text.split('\n');
  const indents = lines.filter((line) => line.trim() !== '').map((line) => /^[ \t]*/.exec(line)?.[0] ?? '');
  const width = indents.length === 0 ? 0 : indents.reduce(sharedStart).length;
  return lines.map((line) => (line.trim() === '' ? '' : line.slice(width))).join('\n');
}

function sharedStart(a: string, b: string): string {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return a.slice(0, length);
}
