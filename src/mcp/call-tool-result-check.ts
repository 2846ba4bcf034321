import { isJsonObject, type JsonObject } from '../util/json.js';
import type { StandardIssue } from './standard-schema.js';

type Check = (value: unknown) => boolean;
type Fields = Readonly<Record<string, readonly [check: Check, expected: string]>>;
type Outcome =
  | { readonly result: JsonObject }
  | { readonly issues: readonly (StandardIssue & JsonObject)[] };

const isString: Check = (value) => typeof value === 'string';
const text: Fields[string] = [isString, 'a string'];
const base64: Fields[string] = [isBase64, 'base64'];
const optionalText: Fields[string] = [optional(isString), 'a string'];
const optionalObject: Fields[string] = [optional(isJsonObject), 'an object'];
const shared: Fields = {
  annotations: [optional(isAnnotations), 'content annotations'],
  _meta: optionalObject,
};

/** The fields of each kind of block, in wire order. Others are dropped, as the MCP SDK does. */
const BLOCKS: Readonly<Record<string, Fields>> = {
  text: { text, ...shared },
  image: { data: base64, mimeType: text, ...shared },
  audio: { data: base64, mimeType: text, ...shared },
  resource: { resource: [isResource, 'a resource with `uri` and `text` or `blob`'], ...shared },
  resource_link: {
    name: text,
    title: optionalText,
    icons: [optional(Array.isArray), 'a list'],
    uri: text,
    description: optionalText,
    mimeType: optionalText,
    size: [optional((value) => typeof value === 'number'), 'a number'],
    ...shared,
  },
};

/**
 * Checks what a handler returned and brings it into wire form: `content` defaults to `[]`, keys of
 * blocks come in order, unknown keys of the result pass.
 */
export function checkCallToolResult(value: unknown): Outcome {
  if (!isJsonObject(value)) return { issues: [issue([], 'an object', value)] };
  const { content = [], isError, structuredContent, _meta } = value;
  const issues = [];
  if (!optional((flag) => typeof flag === 'boolean')(isError)) {
    issues.push(issue(['isError'], 'a boolean', isError));
  }
  if (!optional(isJsonObject)(structuredContent)) {
    issues.push(issue(['structuredContent'], 'an object', structuredContent));
  }
  if (!optional(isJsonObject)(_meta)) issues.push(issue(['_meta'], 'an object', _meta));
  if (!Array.isArray(content)) {
    return { issues: [...issues, issue(['content'], 'a list', content)] };
  }
  const blocks = content.map((block: unknown, index) => {
    const checked = checkBlock(block, ['content', index]);
    if ('issues' in checked) issues.push(...checked.issues);
    return 'result' in checked ? checked.result : undefined;
  });
  return issues.length > 0 ? { issues } : { result: { ...value, content: blocks } };
}

function checkBlock(block: unknown, path: readonly (string | number)[]): Outcome {
  if (!isJsonObject(block)) return { issues: [issue(path, 'a content block', block)] };
  const { type } = block;
  const fields = typeof type === 'string' && Object.hasOwn(BLOCKS, type) ? BLOCKS[type] : undefined;
  if (fields === undefined) {
    return { issues: [issue([...path, 'type'], Object.keys(BLOCKS).join(' | '), type)] };
  }
  const result: JsonObject = { type };
  const issues = [];
  for (const key in fields) {
    // `key` is of `fields`.
    const [check, expected] = fields[key] as Fields[string];
    const value = block[key];
    if (!check(value)) issues.push(issue([...path, key], expected, value));
    else if (value !== undefined) result[key] = value;
  }
  return issues.length > 0 ? { issues } : { result };
}

function issue(
  path: readonly (string | number)[],
  expected: string,
  value: unknown,
): StandardIssue & JsonObject {
  const received = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
  return { path, message: `Invalid: expected ${expected}, received ${received}` };
}

function optional(check: Check): Check {
  return (value) => value === undefined || check(value);
}

function isAnnotations(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { audience, priority, lastModified } = value;
  return (
    optional(
      (list) =>
        Array.isArray(list) && list.every((role) => role === 'user' || role === 'assistant'),
    )(audience) &&
    optional((number) => typeof number === 'number' && number >= 0 && number <= 1)(priority) &&
    optional(isString)(lastModified)
  );
}

function isResource(value: unknown): boolean {
  if (!isJsonObject(value) || !isString(value.uri)) return false;
  if (!optional(isString)(value.mimeType) || !optional(isJsonObject)(value._meta)) return false;
  return isString(value.text) || isBase64(value.blob);
}

/** Accepts what `atob` accepts, but copies only a text with blanks in it. */
function isBase64(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  const text = /[\t\n\f\r ]/.test(value) ? value.replace(/[\t\n\f\r ]+/g, '') : value;
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return false;
  return text.endsWith('=') ? text.length % 4 === 0 : text.length % 4 !== 1;
}
