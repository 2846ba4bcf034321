import { StoreError } from '../errors.js';

/** Classes and codes of SQLSTATE (appendix A of the PostgreSQL manual). */
const AWAY = /^(?:08|57P0|53300|25P03|25006)/;
const FULL = /^(?:53100|53200|53400|54000)/;
const DENIED = /^(?:28|42501|0A000)/;
const TIMEOUT = /^(?:57014|55P03)/;
const CONFLICT = /^(?:40|23503|55006)/;
const NOT_READY = /^(?:42P01|42703|42883|3F000|3D000)/;
const CONNECTION =
  /^E(?:CONNREFUSED|CONNRESET|PIPE|HOSTUNREACH|NETUNREACH|TIMEDOUT|NOTFOUND|AI_AGAIN)|^ENOENT$|Connection (?:terminated|ended)|timeout (?:exceeded )?when trying to connect|Client (?:has encountered|was closed)|not queryable|Connection closed|socket hang up/i;

/** The value of a row is never in a message of ours, since `detail` and `where` of the server are not. */
export function postgresError(error: unknown, what: string): StoreError | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = 'code' in error ? String(error.code) : '';
  const reason = (error.message.split('\n', 1)[0] ?? '').slice(0, 200);
  const fail = (kind: ConstructorParameters<typeof StoreError>[0], problem: string, hint: string): StoreError =>
    new StoreError(kind, `${what} failed: ${problem} (${reason}).`, { cause: error, hint });
  if (AWAY.test(code) || CONNECTION.test(code) || CONNECTION.test(error.message)) {
    return fail('unavailable', 'PostgreSQL cannot be reached', 'Look whether it runs, and where the pool connects to.');
  }
  if (FULL.test(code)) return fail('full', 'PostgreSQL has no room left', 'Free its disk, or delete old sessions.');
  if (DENIED.test(code)) return fail('denied', 'PostgreSQL refused it', 'Look at the user of the pool and its rights.');
  if (TIMEOUT.test(code)) {
    return fail('timeout', 'PostgreSQL gave it up', 'Repeat the call, raise `timeoutMs`, or look who holds the lock.');
  }
  if (CONFLICT.test(code)) return fail('conflict', 'another writer was faster', 'Repeat the call.');
  if (NOT_READY.test(code)) {
    return fail('not_ready', 'a table is missing', 'Call `migrate(pool)` first, with the same `search_path`.');
  }
  if (/^[0-9A-Z]{5}$/.test(code)) return fail('failed', 'PostgreSQL refused it', 'Look at `cause`.');
  return undefined;
}
