import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'vitest';
import type { Handler } from '../../src/http/handler.js';
import { openApi } from '../../src/http/openapi.js';
import { findRoute } from '../../src/http/routes.js';

const ajv = new Ajv2020({ strict: false, formats: { uuid: true } });

interface Answer {
  readonly headers?: Readonly<Record<string, { readonly required?: boolean }>>;
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}
interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, Answer>>;
}
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

const { paths, components } = openApi({ page: true }) as { paths: Paths; components: { schemas: object } };

/** Headers that say something about the answer, besides those of every answer. */
const TELLING = ['location', 'retry-after', 'allow', 'www-authenticate'];

/** Whether it is what the description says an event of the stream is. */
export const isDescribedEvent = ajv.compile({ $ref: '#/components/schemas/Event', components });

/**
 * Checks every answer against the OpenAPI description.
 * @param onAnswer - Hears what was checked, such as `listConversations 200`.
 */
export function described(handler: Handler, onAnswer: (what: string) => void = () => {}): Handler {
  const checked = async (...[request, connection]: Parameters<Handler>) => {
    const response = await handler(request, connection);
    const { status, headers } = response;
    expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([]);
    const operation = operationOf(request);
    const what = `${operation?.operationId ?? request.url} ${status}`;
    const type = (headers.get('content-type') ?? '').split(';')[0] ?? '';
    if (operation === undefined) {
      // A path or method that does not exist has no description.
      expect([404, 405], what).toContain(status);
      await assertFits(response, { $ref: '#/components/schemas/Problem' }, what);
      return response;
    }
    const answer = operation.responses[status];
    expect(answer, what).toBeDefined();
    const told = TELLING.filter((name) => headers.has(name));
    const known = Object.entries(answer?.headers ?? {});
    expect(
      known.map(([name]) => name.toLowerCase()),
      what,
    ).toEqual(expect.arrayContaining(told));
    for (const [name, { required }] of known) if (required === true) expect(headers.has(name), what).toBe(true);
    const types = Object.keys(answer?.content ?? {});
    expect(types.length === 0 ? [''] : types, what).toContain(type);
    const schema = answer?.content?.[type]?.schema;
    if (type.endsWith('json') && schema !== undefined) await assertFits(response, schema, what);
    onAnswer(what);
    return response;
  };
  return Object.assign(checked, { authenticates: handler.authenticates });
}

async function assertFits(response: Response, schema: object, what: string): Promise<void> {
  const validate = ajv.compile({ ...schema, components });
  const body: unknown = await response.clone().json();
  expect([what, validate(body), validate.errors]).toEqual([what, true, null]);
}

function operationOf({ method, url }: Request): Operation | undefined {
  const { pathname } = new URL(url);
  if (/^\/(?:page\/.+)?$/.test(pathname)) return paths[pathname === '/' ? '/' : '/page/{file}']?.get;
  try {
    const { route } = findRoute(method, pathname);
    return paths[route.path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()];
  } catch {
    return undefined;
  }
}
