import type { Diagnostic, DiagnosticListener } from '../diagnostics.js';
import { ignoreRejection } from '../util/deferred.js';
import { describeValue } from '../util/describe-value.js';
import { warnOnce } from '../util/warn-once.js';
import type { Logger } from './options/process-options.js';

/** Worth a warning even outside of debugging. */
const WARNINGS: ReadonlySet<Diagnostic['code']> = new Set([
  'callback_result_invalid',
  'callback_threw',
  'cleanup_failed',
  'listener_threw',
  'mcp_server_problem',
  'messages_unanswered',
  'cli_release_unknown',
  'mirror_failed',
  'mirror_path_unknown',
  'option_not_honoured',
  'process_signalled',
  'stdin_closed_by_cap',
]);

/**
 * One listener for everything a session notices: the `onDiagnostic` option, then the logger. Neither can break the
 * session: what they throw is dropped.
 */
export function createDiagnosticSink(
  onDiagnostic: DiagnosticListener | undefined,
  logger: Logger | undefined,
): DiagnosticListener {
  if (onDiagnostic === undefined && logger === undefined) return () => {};
  return (diagnostic) => {
    contained(() => onDiagnostic?.(diagnostic));
    if (logger === undefined) return;
    const { code, message, details, cause } = diagnostic;
    contained(() => logger[WARNINGS.has(code) ? 'warn' : 'debug']({ code, ...details, ...stackOf(cause) }, message));
  };
}

/** Line by line, since long texts are cut. Of anything but an error, nothing. */
function stackOf(thrown: unknown): { readonly stack?: readonly string[] } {
  const stack: unknown = thrown instanceof Error ? thrown.stack : undefined;
  return typeof stack === 'string' ? { stack: stack.split('\n') } : {};
}

/** Calls user code and drops what it throws. */
export function contained(action: () => unknown): void {
  try {
    // A listener may be async, whatever its type says.
    Promise.resolve(action()).catch(() => {});
  } catch {
    // See above.
  }
}

/** Names whose values must not reach a log, wherever they are. */
const SECRET_PATHS = ['env', 'headers', 'apiKey', 'token', '*.env', '*.headers', '*.apiKey', '*.token'];

/**
 * The logger that `CLAUDEWIRE_LOG=<level>` switches on: pino, to stderr, with secrets redacted. Without the variable
 * there is none and pino is never loaded. Records made while it loads are kept and written then.
 */
export function environmentLogger(env: Readonly<Record<string, string | undefined>>): Logger | undefined {
  const level = env.CLAUDEWIRE_LOG;
  if (level === undefined || level === '' || level === 'silent') return undefined;
  if (!LEVELS.includes(level)) {
    warnOnce({
      code: 'CLAUDEWIRE_LOG_LEVEL',
      type: 'Warning',
      message: `CLAUDEWIRE_LOG must be one of ${[...LEVELS, 'silent'].join(', ')}, got ${describeValue(level)}; nothing is logged.`,
    });
    return undefined;
  }
  shared ??= lazyPino(level);
  return shared;
}

let shared: Logger | undefined;

const LEVELS: readonly string[] = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'];

function lazyPino(level: string): Logger {
  const loading = import('pino').then(({ pino }) =>
    pino({ name: 'claudewire', level, redact: SECRET_PATHS }, pino.destination({ fd: 2, sync: true })),
  );
  // No pino: logging is an extra, and its failure must not end a run, written to or not.
  ignoreRejection(loading);
  const write = (method: 'trace' | 'debug' | 'info' | 'warn' | 'error') => (fields: object, message: string) => {
    loading.then((logger) => logger[method](fields, message)).catch(() => {});
  };
  return {
    trace: write('trace'),
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    isLevelEnabled: (asked) => LEVELS.indexOf(asked) >= LEVELS.indexOf(level),
  };
}
