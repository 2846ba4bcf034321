import type { CheckItem, CheckReport } from '../../adapter/check/check-report.js';

/** Whether one kind of run would start. */
export interface RunVerdict {
  /** `query()`, or a mode of the adapter. */
  readonly run: string;
  readonly starts: boolean;
  /** What stands in its way. */
  readonly reasons: readonly string[];
  /** It counts for the exit code: the user asked for it, or needs it for anything. */
  readonly isAsked: boolean;
}

export interface Judged {
  readonly version: 1;
  /** Every run that was asked for would start. */
  readonly passed: boolean;
  readonly items: readonly CheckItem[];
  readonly runs: readonly RunVerdict[];
}

/**
 * Says for `query()` and each mode of the adapter whether it would start: root may not bypass permissions, and the sandbox is a
 * matter of isolated runs alone.
 *
 * @param mode - The permission mode that was asked about; without one the adapter's default is one of two cases.
 * @param isolated - With isolation, when that was asked about.
 */
export function judgeRuns(
  plain: CheckReport,
  isolated: CheckReport | undefined,
  mode: string | undefined,
): Judged {
  const judge = (
    run: string,
    { items }: CheckReport,
    counts: (item: CheckItem) => boolean,
    isAsked: boolean,
  ): RunVerdict => {
    const inTheWay = items.filter((item) => item.status === 'failed' && counts(item));
    const reasons = inTheWay.map(({ found }) => found);
    return { run, starts: reasons.length === 0, reasons, isAsked };
  };
  const all = (): boolean => true;
  const butBypass = ({ name }: CheckItem): boolean => name !== 'bypass';
  const modes = (what: string, report: CheckReport, isAsked: boolean): readonly RunVerdict[] =>
    mode === undefined
      ? [
          judge(`${what}, bypassPermissions (the default)`, report, all, false),
          judge(`${what}, other permission modes`, report, butBypass, isAsked),
        ]
      : [judge(`${what}, ${mode}`, report, all, true)];
  const runs = [
    judge('query()', plain, butBypass, true),
    ...modes('adapter', plain, false),
    ...(isolated === undefined ? [] : modes('adapter, isolated', isolated, true)),
  ];
  // Nobody has asked for bypass mode by name, and everything else starts without it.
  const items = (isolated ?? plain).items.map((item) =>
    mode === undefined && item.name === 'bypass' && item.status === 'failed'
      ? ({ ...item, status: 'warning' } as const)
      : item,
  );
  const passed = runs.every(({ starts, isAsked }) => starts || !isAsked);
  return { version: 1, passed, items, runs };
}
