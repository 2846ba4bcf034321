import type { PlannedWarning } from './launch/plan.js';

/** Codes of warnings that a host process hears once. */
const heard = new Set<string>();

/** Emits what a plan found worth a warning. */
export function emitWarnings(warnings: readonly PlannedWarning[]): void {
  for (const { message, code, type, once } of warnings) {
    if (once && heard.has(code)) continue;
    if (once) heard.add(code);
    process.emitWarning(message, { type, code });
  }
}
