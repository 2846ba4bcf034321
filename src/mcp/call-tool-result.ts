import { isJsonObject, type JsonObject } from '../util/json.js';
import {
  array,
  arrayOf,
  boolean,
  custom,
  number,
  numberFrom,
  object,
  oneOf,
  type Problem,
  problemOf,
  problemText,
  shape,
  string,
  type Validator,
} from '../util/validate.js';
import type { StandardIssue } from './standard-schema.js';

/** Hints for whoever shows a content block. */
interface ContentAnnotations {
  audience?: ('user' | 'assistant')[] | undefined;
  /** From 0 to 1. */
  priority?: number | undefined;
  /** ISO 8601. */
  lastModified?: string | undefined;
}

interface BaseContent {
  annotations?: ContentAnnotations | undefined;
  _meta?: Record<string, unknown> | undefined;
}

interface TextContent extends BaseContent {
  type: 'text';
  text: string;
}

interface MediaContent<Type extends 'image' | 'audio'> extends BaseContent {
  type: Type;
  /** Base64. */
  data: string;
  mimeType: string;
}

interface ResourceLink extends BaseContent {
  type: 'resource_link';
  uri: string;
  name: string;
  title?: string | undefined;
  description?: string | undefined;
  mimeType?: string | undefined;
  /** Bytes. */
  size?: number | undefined;
  icons?: { src: string; mimeType?: string | undefined; sizes?: string[] | undefined }[] | undefined;
}

interface EmbeddedResource extends BaseContent {
  type: 'resource';
  resource: { uri: string; mimeType?: string | undefined; _meta?: Record<string, unknown> | undefined } & (
    | { text: string }
    | { blob: string }
  );
}

export type ContentBlock =
  | TextContent
  | MediaContent<'image'>
  | MediaContent<'audio'>
  | ResourceLink
  | EmbeddedResource;

/** What a tool's handler returns. The MCP SDK's type of this name fits, and the other way round. */
export interface CallToolResult {
  content: ContentBlock[];
  structuredContent?: Record<string, unknown> | undefined;
  /** The model sees the content as an error and can react to it. @defaultValue false */
  isError?: boolean | undefined;
  _meta?: Record<string, unknown> | undefined;
  [key: string]: unknown;
}

/** The result that tells the model about a failure, so that it can correct itself. */
export function errorResult(message: string): CallToolResult {
  return { content: [{ type: 'text', text: message }], isError: true };
}

type Outcome = { readonly result: JsonObject } | { readonly issues: readonly (StandardIssue & JsonObject)[] };
type Path = readonly (string | number)[];
type Fields = Readonly<Record<string, Validator>>;

const base64 = custom('base64', isBase64);
const annotations = strictShape({
  audience: optional(arrayOf(oneOf('user', 'assistant'))),
  priority: optional(numberFrom(0, 1)),
  lastModified: optional(string),
});
const resourceFields = strictShape({ uri: string, mimeType: optional(string), _meta: optional(object) });
const resource: Validator = (value, path) => {
  const problem = resourceFields(value, path);
  if (problem !== undefined) return problem;
  const { text, blob } = value as JsonObject;
  if (typeof text === 'string' || isBase64(blob)) return undefined;
  return problemOf(path, 'a resource with `text` or a base64 `blob`', value);
};
const shared: Fields = { annotations: optional(annotations), _meta: optional(object) };
const media: Fields = { data: base64, mimeType: string, ...shared };

/** The fields of each kind of block, in wire order. Others are dropped, as the MCP SDK does. */
const BLOCKS: Readonly<Record<string, Fields>> = {
  text: { text: string, ...shared },
  image: media,
  audio: media,
  resource: { resource, ...shared },
  resource_link: {
    name: string,
    title: optional(string),
    icons: optional(array),
    uri: string,
    description: optional(string),
    mimeType: optional(string),
    size: optional(number),
    ...shared,
  },
};
const blockType = oneOf(...Object.keys(BLOCKS));

const RESULT: Fields = {
  isError: optional(boolean),
  structuredContent: optional(object),
  _meta: optional(object),
  content: optional(array),
};

/**
 * Checks what a handler returned and brings it into wire form: `content` defaults to `[]`, keys of blocks come in
 * order, unknown keys of the result pass.
 */
export function checkCallToolResult(value: unknown): Outcome {
  if (!isJsonObject(value)) return { issues: [issue([], problemOf('result', 'an object', value))] };
  const issues = checkFields(RESULT, value, []);
  const { content = [] } = value;
  if (!Array.isArray(content)) return { issues };
  const blocks = content.map((block: unknown, index) => {
    const checked = checkBlock(block, ['content', index]);
    if ('issues' in checked) issues.push(...checked.issues);
    return 'result' in checked ? checked.result : undefined;
  });
  return issues.length > 0 ? { issues } : { result: { ...value, content: blocks } };
}

function checkBlock(block: unknown, path: Path): Outcome {
  if (!isJsonObject(block)) return { issues: [issue(path, problemOf('content', 'a block', block))] };
  const { type } = block;
  const wrongType = blockType(type, 'type');
  if (wrongType !== undefined) return { issues: [issue([...path, 'type'], wrongType)] };
  // `type` is a key of `BLOCKS`.
  const fields = BLOCKS[type as string] as Fields;
  const issues = checkFields(fields, block, path);
  if (issues.length > 0) return { issues };
  const result: JsonObject = { type };
  for (const key in fields) if (block[key] !== undefined) result[key] = block[key];
  return { result };
}

function checkFields(fields: Fields, value: JsonObject, path: Path): (StandardIssue & JsonObject)[] {
  const issues = [];
  for (const key in fields) {
    const problem = fields[key]?.(value[key], key);
    if (problem !== undefined) issues.push(issue([...path, key], problem));
  }
  return issues;
}

function issue(path: Path, problem: Problem): StandardIssue & JsonObject {
  return { path, message: problemText(problem, '') };
}

/** A field that MCP allows to be absent, but not `null`. */
function optional(validator: Validator): Validator {
  return (value, path) => (value === undefined ? undefined : validator(value, path));
}

/** An object whose fields may not be `null` either. */
function strictShape(fields: Fields): Validator {
  return shape(fields, Object.keys(fields));
}

/** Accepts what `atob` accepts, but copies only a text with blanks in it. */
function isBase64(value: unknown): boolean {
  if (typeof value !== 'string') return false;
  const text = /[\t\n\f\r ]/.test(value) ? value.replace(/[\t\n\f\r ]+/g, '') : value;
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return false;
  return text.endsWith('=') ? text.length % 4 === 0 : text.length % 4 !== 1;
}
