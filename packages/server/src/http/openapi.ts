import { EVENT } from './event-schemas.js';
import { type ProblemCode, STATUS } from './problem.js';
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

/** What any route can be refused with. */
const ANY: readonly ProblemCode[] = ['unauthorized', 'forbidden_host', 'forbidden_origin', 'store_failed', 'internal'];
const WITH_BODY: readonly ProblemCode[] = ['invalid', 'body_too_large', 'unsupported_media_type'];

/** The OpenAPI 3.1 description of the handler, as an object. */
export function openApi({ servers, securitySchemes = {}, page = false }: OpenApiOptions = {}): Record<string, unknown> {
  const paths: Record<string, Record<string, object>> = page ? { '/': { get: PAGE } } : {};
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

const PAGE = {
  operationId: 'openPage',
  summary: 'The web page. Its files are below `/page/`.',
  responses: { 200: { description: 'HTML.', content: { 'text/html': { schema: { type: 'string' } } } } },
};

function operationOf(route: Route): object {
  return {
    operationId: route.operation,
    summary: route.summary,
    parameters: parametersOf(route),
    ...(route.body === undefined
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema: route.body } } } }),
    responses: { [route.status]: { description: 'Done.', ...contentOf(route) }, ...refusalsOf(route) },
  };
}

function parametersOf({ path, query = {}, headers = {} }: Route): readonly object[] {
  const number = { type: 'integer', minimum: 0 };
  return [
    ...[...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
      ...{ name, in: 'path', required: true, schema: { type: 'string' } },
    })),
    ...Object.entries(query).map(([name, description]) => ({ name, in: 'query', description, schema: number })),
    ...Object.entries(headers).map(([name, description]) => ({ name, in: 'header', description, schema: number })),
  ];
}

function contentOf({ answer, contentType }: Route): object {
  if (contentType !== undefined) return { content: { [contentType]: { schema: refTo('Event') } } };
  if (answer === undefined) return {};
  return { content: { 'application/json': { schema: answer === CONVERSATION ? refTo('Conversation') : answer } } };
}

/** One answer for each status, with the codes that it can have. */
function refusalsOf(route: Route): Record<string, object> {
  const codes: readonly ProblemCode[] = [
    ...ANY,
    ...(route.body === undefined ? [] : WITH_BODY),
    ...(route.query === undefined ? [] : (['invalid'] as const)),
    ...(route.path.includes(':') ? (['not_found'] as const) : []),
    ...(route.refusals ?? []),
  ];
  const answers: Record<string, object> = {};
  for (const status of new Set(codes.map((code) => STATUS[code]))) {
    const own = [...new Set(codes)].filter((code) => STATUS[code] === status);
    const retry = { 'Retry-After': { description: 'Seconds.', schema: { type: 'integer' } } };
    answers[status] = {
      description: `Refused: ${own.map((code) => `\`${code}\``).join(', ')}.`,
      ...(status === STATUS.busy ? { headers: retry } : {}),
      content: { 'application/problem+json': { schema: refTo('Problem') } },
    };
  }
  return answers;
}
