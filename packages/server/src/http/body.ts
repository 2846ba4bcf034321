import { Ajv, type ValidateFunction } from 'ajv';
import { bodyFault, toBeChecked } from './body-fault.js';
import { Problem } from './problem.js';
import { ROUTES, type Route } from './routes.js';

/** What is nested deeper can be stored or digested by nobody. */
const MAX_DEPTH = 200;

const ajv = new Ajv({ strict: false, verbose: true, discriminator: true });
const validators = new Map<Route, ValidateFunction>(
  ROUTES.flatMap((route) => (route.body === undefined ? [] : [[route, ajv.compile(toBeChecked(route.body))] as const])),
);

/** The body that a route takes. @throws Problem `unsupported_media_type`, `body_too_large`, `invalid`. */
export async function bodyOf(request: Request, route: Route, maxBytes: number): Promise<unknown> {
  const validate = validators.get(route);
  if (validate === undefined) return undefined;
  // A form of a foreign page cannot send this type.
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') throw new Problem('unsupported_media_type', 'Send `application/json`.');
  if (request.bodyUsed || request.body?.locked === true) throw alreadyRead();
  const text = await textOf(request, maxBytes);
  // A body parser leaves an empty stream behind, whatever the client has sent.
  if (text === '' && saysThatItHasBody(request)) throw alreadyRead();
  const body = parse(text);
  assertPlain(body);
  if (validate(body)) return body;
  throw new Problem('invalid', bodyFault(validate.errors?.[0]));
}

function alreadyRead(): Problem {
  return new Problem(
    'invalid',
    'Something in front of this handler has read the body, such as a body parser. Mount the handler before it.',
  );
}

function saysThatItHasBody({ headers }: Request): boolean {
  return headers.has('transfer-encoding') || Number(headers.get('content-length') ?? 0) > 0;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Problem('invalid', 'The body is not JSON.');
  }
}

/** What would become something else on its way to Claude Code is refused: 1e400 is Infinity here, and null there. */
function assertPlain(body: unknown): void {
  let level: readonly unknown[] = [body];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_DEPTH) throw new Problem('invalid', `A body may be nested ${MAX_DEPTH} levels deep.`);
    if (level.some((value) => typeof value === 'number' && !Number.isFinite(value))) {
      throw new Problem('invalid', 'The body has a number that is too big. Send it as a text.');
    }
    level = level.flatMap((value) => (typeof value === 'object' && value !== null ? Object.values(value) : []));
  }
}

async function textOf(request: Request, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of request.body ?? []) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) throw new Problem('body_too_large', `A body may have ${maxBytes} bytes.`);
      chunks.push(chunk);
    }
  } catch (error) {
    // A client that goes away is no failure of the server.
    throw error instanceof Problem ? error : new Problem('invalid', 'The body broke off.');
  }
  return Buffer.concat(chunks).toString('utf8');
}
