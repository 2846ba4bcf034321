import type { Diagnostic, DiagnosticListener } from '../diagnostics.js';
import type { Logger } from './options/limit-options.js';

/** What a person should hear about even when nobody debugs. */
const WARNINGS: ReadonlySet<Diagnostic['code']> = new Set([
  'callback_result_invalid',
  'cleanup_failed',
  'listener_threw',
  'mcp_server_problem',
  'messages_unanswered',
  'mirror_failed',
  'mirror_path_unknown',
  'process_signalled',
  'stdin_closed_by_cap',
]);

/**
 * One listener for everything a session notices: the `onDiagnostic` option, then the logger.
 * Neither can break the session: what they throw is dropped, since there is nobody left to tell.
 */
export function createDiagnosticSink(
  onDiagnostic: DiagnosticListener | undefined,
  logger: Logger | undefined,
): DiagnosticListener {
  if (onDiagnostic === undefined && logger === undefined) return () => {};
  return (diagnostic) => {
    contained(() => onDiagnostic?.(diagnostic));
    if (logger === undefined) return;
    const { code, message, details } = diagnostic;
    contained(() => logger[WARNINGS.has(code) ? 'warn' : 'debug']({ code, ...details }, message));
  };
}

/** Calls somebody else's code. What it throws is dropped. */
export function contained(action: () => unknown): void {
  try {
    // A listener may be async, whatever its type says.
    Promise.resolve(action()).catch(() => {});
  } catch {
    // See above.
  }
}
