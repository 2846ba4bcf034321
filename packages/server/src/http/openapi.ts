import { arrayOf, assertOptions, boolean, type Checks, custom, object, optional } from '../checks.js';
import { EVENT } from './event-schemas.js';
import { PAGE_FILES } from './page.js';
import { type ProblemCode, STATUS } from './problem.js';
import type { Parameter } from './query.js';
import { ROUTES, type Route } from './routes.js';
import { CONVERSATION, PROBLEM } from './schemas.js';

export interface OpenApiOptions {
  /** Where the handler is. @defaultValue `[{ url: '/' }]` */
  readonly servers?: readonly { readonly url: string; readonly description?: string }[];
  /** How your `authenticate` wants to be called: security schemes of OpenAPI, by name. All of them will do. @defaultValue none */
  readonly securitySchemes?: Readonly<Record<string, object>>;
  /** Whether `createHandler()` has `page: true`. @defaultValue false */
  readonly page?: boolean;
}

const SCHEMAS = { Conversation: CONVERSATION, Event: EVENT, Problem: PROBLEM };
const refTo = (name: keyof typeof SCHEMAS) => ({ $ref: `#/components/schemas/${name}` });

/** What the page can be refused with. */
const PAGE_REFUSALS: readonly ProblemCode[] = ['unauthorized', 'forbidden_host', 'internal'];
/** What any route can be refused with. `invalid`: the tenant that `authenticate` named cannot be one. */
const ANY: readonly ProblemCode[] = [...PAGE_REFUSALS, 'forbidden_origin', 'invalid', 'store_failed'];
const WITH_BODY: readonly ProblemCode[] = ['body_too_large', 'unsupported_media_type'];
/** Codes whose answers may say when to try again. */
const RETRIED: readonly ProblemCode[] = ['busy', 'draining', 'conflict'];

const text = { type: 'string' };

const CHECKS: Checks<OpenApiOptions> = {
  servers: optional(arrayOf(custom('an object with a `url`', (value) => typeof Object(value).url === 'string'))),
  securitySchemes: optional(object),
  page: optional(boolean),
};

/** The OpenAPI 3.1 description of the handler, as an object. @throws HostError `invalid`: it names the option. */
export function openApi(options: OpenApiOptions = {}): Record<string, unknown> {
  assertOptions('openApi()', options, CHECKS);
  const { servers, securitySchemes = {}, page = false } = options;
  const paths: Record<string, Record<string, object>> = page ? pagePaths() : {};
  for (const route of ROUTES) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'claudewire-server', version: '0.1.0', license: { name: 'MIT', identifier: 'MIT' } },
    servers: servers ?? [{ url: '/' }],
    security: Object.keys(securitySchemes).map((name) => ({ [name]: [] })),
    paths,
    components: { schemas: SCHEMAS, securitySchemes },
  };
}

/** A browser that is refused gets a page that says why, a program the problem. */
function pagePaths(): Record<string, Record<string, object>> {
  const html = { 'text/html': { schema: text } };
  const file = { name: 'file', in: 'path', required: true, schema: { enum: PAGE_FILES } };
  const script = { 'text/css': { schema: text }, 'text/javascript': { schema: text } };
  return {
    '/': {
      get: {
        ...{ operationId: 'openPage', summary: 'The web page.' },
        responses: { 200: { description: 'The page.', content: html }, ...refusalsOf(PAGE_REFUSALS, html) },
      },
    },
    '/page/{file}': {
      get: {
        ...{ operationId: 'readPageFile', summary: 'A script or the style of the web page.', parameters: [file] },
        responses: {
          200: { description: 'The file.', content: script },
          ...refusalsOf([...PAGE_REFUSALS, 'unknown_route'], html),
        },
      },
    },
  };
}

function operationOf(route: Route): object {
  return {
    operationId: route.operation,
    summary: route.summary,
    parameters: parametersOf(route),
    ...(route.body === undefined
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema: route.body } } } }),
    responses: {
      [route.status]: { description: 'Done.', ...answerHeadersOf(route), ...contentOf(route) },
      ...refusalsOf(codesOf(route)),
    },
  };
}

function parametersOf({ path, query = {}, headers = {} }: Route): readonly object[] {
  return [
    ...[...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
      ...{ name, in: 'path', required: true, schema: { type: 'string' } },
    })),
    ...Object.entries(query).map(([name, what]) => parameter(name, 'query', what)),
    ...Object.entries(headers).map(([name, what]) => parameter(name, 'header', what)),
  ];
}

function parameter(name: string, place: 'query' | 'header', what: Parameter): object {
  return { name, in: place, description: what.says, schema: schemaOf(what) };
}

function schemaOf(what: Parameter): object {
  if ('words' in what) return { enum: what.words, default: what.words[0] };
  if ('maxLength' in what) return { type: 'string', minLength: 1, maxLength: what.maxLength };
  const { least: minimum, most: maximum, otherwise } = what;
  const bounds = maximum === Number.MAX_SAFE_INTEGER ? { minimum } : { minimum, maximum };
  return { type: 'integer', ...bounds, ...(otherwise === undefined ? {} : { default: otherwise }) };
}

function contentOf({ answer, contentType }: Route): object {
  if (contentType !== undefined) return { content: { [contentType]: { schema: refTo('Event') } } };
  if (answer === undefined) return {};
  return { content: { 'application/json': { schema: answer === CONVERSATION ? refTo('Conversation') : answer } } };
}

function answerHeadersOf({ answerHeaders = {} }: Route): object {
  const headers = Object.entries(answerHeaders).map(([name, description]) => {
    return [name, { description, required: true, schema: text }] as const;
  });
  return headers.length === 0 ? {} : { headers: Object.fromEntries(headers) };
}

function codesOf(route: Route): readonly ProblemCode[] {
  return [
    ...ANY,
    ...(route.body === undefined ? [] : WITH_BODY),
    ...(route.path.includes(':') ? (['not_found'] as const) : []),
    ...(route.refusals ?? []),
  ];
}

/** One answer for each status, with the codes that it can have. @param other - What it may be instead of a problem. */
function refusalsOf(codes: readonly ProblemCode[], other: object = {}): Record<string, object> {
  const retry = { 'Retry-After': { description: 'Seconds, where it is known.', schema: { type: 'integer' } } };
  const challenge = { 'WWW-Authenticate': { description: 'How to say who you are.', required: true, schema: text } };
  const answers: Record<string, object> = {};
  for (const status of new Set(codes.map((code) => STATUS[code]))) {
    const own = [...new Set(codes)].filter((code) => STATUS[code] === status);
    answers[status] = {
      description: `Refused: ${own.map((code) => `\`${code}\``).join(', ')}.`,
      ...(own.some((code) => RETRIED.includes(code)) ? { headers: retry } : {}),
      ...(own.includes('unauthorized') ? { headers: challenge } : {}),
      content: { 'application/problem+json': { schema: refTo('Problem') }, ...other },
    };
  }
  return answers;
}
