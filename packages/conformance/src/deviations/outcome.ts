/** What came of a deviation, as far as it can be seen from outside the CLI. */
export type OutcomeClass =
  | 'hang'
  | 'exit'
  | 'crash'
  | 'left_behind'
  | 'tool_not_called'
  | 'tool_called'
  | 'error'
  | 'degraded'
  | 'ignored'
  | 'host_only'
  | 'never_seen'
  | 'not_run';

export interface Outcome {
  readonly outcome: OutcomeClass;
  /** Lines of the control that are missing (`-`), and those in their place (`+`). */
  readonly saw: readonly string[];
}

const EVIDENCE_LINES = 6;

/** Compares what was seen without the deviation and with it. Nothing but a difference counts. */
export function outcomeOf(control: readonly string[], deviation: readonly string[]): Outcome {
  const gone = minus(control, deviation);
  const come = minus(deviation, control);
  const saw = [...gone.map((fact) => `- ${fact}`), ...come.map((fact) => `+ ${fact}`)].slice(0, EVIDENCE_LINES);
  return { outcome: classOf(gone, come), saw };
}

function classOf(gone: readonly string[], come: readonly string[]): OutcomeClass {
  const some = (lines: readonly string[], pattern: RegExp): boolean => lines.some((line) => pattern.test(line));
  if (gone.length === 0 && come.length === 0) return 'ignored';
  if (some(come, /^host crashed: /)) return 'crash';
  if (some(come, /^waited in vain: .* in time$/) || some(come, /^end: did not leave/)) return 'hang';
  if (some(come, /^end: the process was left behind/)) return 'left_behind';
  if (some(come, /^end: (?!exit 0)/) && some(gone, /^result success|^end: exit 0|^waited/)) return 'exit';
  if (some(gone, /^tool ok: /) && !some(come, /^tool ok: /)) return 'tool_not_called';
  if (some(come, /^tool ok: /) && !some(gone, /^tool ok: /)) return 'tool_called';
  if (some(come, /^answer \S+: error |^result .*is_error|^tool error: /)) return 'error';
  return 'degraded';
}

function minus(all: readonly string[], others: readonly string[]): string[] {
  const left = [...others];
  return all.filter((line) => {
    const at = left.indexOf(line);
    if (at !== -1) left.splice(at, 1);
    return at === -1;
  });
}
