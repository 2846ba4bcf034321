/**
 * Stands in for `src/index.js` when rows run beside another package: the names that rows import, taken from the
 * package under test, whose URL is in PARITY_SUBJECT.
 */
import './clock.js';
import { createRequire } from 'node:module';
import type * as Ours from '../../../../src/index.js';

type Surface = Partial<Record<string, unknown>>;

const url = process.env.PARITY_SUBJECT ?? '';
export const SUBJECT = process.env.PARITY_NAME as 'official' | 'ours';
/** The host's environment around the import of the package, for the rows about it. */
export const envBeforeImport = { ...process.env };
const subject: Surface = await import(url);
export const envAfterImport = { ...process.env };

/** What the package exports under that name. */
export function exported<T>(name: string): T {
  if (subject[name] === undefined) throw new Error(`the package does not export ${name}`);
  return subject[name] as T;
}

export const exportedNames = Object.keys(subject).sort();

/** Resolves beside the package under test, so that both sides share one copy of zod and of the MCP SDK. */
export async function besideSubject<T>(name: string): Promise<T> {
  const path = createRequire(url).resolve(name);
  return (await import(path)) as T;
}

export const createSdkMcpServer = exported<typeof Ours.createSdkMcpServer>('createSdkMcpServer');
export const tool = exported<typeof Ours.tool>('tool');
export const AbortError = exported<typeof Ours.AbortError>('AbortError');
/** Rows of the Python SDK are about it; the official package has none. */
export const ClaudeClient = subject.ClaudeClient as typeof Ours.ClaudeClient;

/**
 * Ours has a documented `request()`; of the other package the rows use what is there at run time, so that one row
 * can make any request.
 */
export const query: typeof Ours.query = (params) => withRequest(exported<typeof Ours.query>('query')(params));

type RawRequest = (request: object) => Promise<{ response?: unknown } | undefined>;

export function withRequest(started: Ours.Query): Ours.Query {
  if (SUBJECT === 'ours') return started;
  const raw = (started as unknown as { request: RawRequest }).request.bind(started);
  Reflect.defineProperty(started, 'request', {
    configurable: true,
    writable: true,
    value: (subtype: unknown, payload: object = {}) =>
      typeof subtype === 'string'
        ? raw({ subtype, ...payload }).then((answer) => answer?.response)
        : raw(subtype as object),
  });
  return started;
}
