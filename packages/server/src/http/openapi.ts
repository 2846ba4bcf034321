import { ROUTES, type Route } from './routes.js';
import { PROBLEM } from './schemas.js';

/** The OpenAPI 3.1 description of the handler, as an object. */
export function openApi(): Record<string, unknown> {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of ROUTES) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route) };
  }
  return { openapi: '3.1.0', info: { title: 'claudewire-server', version: '0.1.0' }, paths };
}

function operationOf(route: Route): object {
  const inPath = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    ...{ name, in: 'path', required: true, schema: { type: 'string' } },
  }));
  const inQuery = Object.entries(route.query ?? {}).map(([name, description]) => ({
    ...{ name, in: 'query', description, schema: { type: 'integer', minimum: 0 } },
  }));
  const contentType = route.contentType ?? 'application/json';
  const schema = route.answer ?? { type: 'string' };
  const hasContent = route.answer !== undefined || route.contentType !== undefined;
  return {
    operationId: route.operation,
    summary: route.summary,
    parameters: [...inPath, ...inQuery],
    ...(route.body === undefined
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema: route.body } } } }),
    responses: {
      [route.status]: { description: 'Done.', ...(hasContent ? { content: { [contentType]: { schema } } } : {}) },
      default: { description: 'Refused.', content: { 'application/problem+json': { schema: PROBLEM } } },
    },
  };
}
