/** By CLI version and column: which release of the SDK it was, and what came of each scenario. */
export type CellRecord = Readonly<Record<string, Readonly<Record<string, Cell>>>>;

export interface Cell {
  /** Release of the SDK. */
  readonly release: string;
  /** `passed`, or why not. */
  readonly scenarios: Readonly<Record<string, string>>;
}

/** The columns of the table, in order. */
export const COLUMNS: readonly { readonly column: string; readonly title: string }[] = [
  { column: 'ours', title: 'claudewire' },
  { column: 'tsThen', title: 'official TypeScript, of that time' },
  { column: 'tsNewest', title: 'official TypeScript, newest' },
  { column: 'pyThen', title: 'official Python, of that time' },
  { column: 'pyNewest', title: 'official Python, newest' },
];

/** `10/10`, or how many and which failed. */
export function cellText(cell: Cell | undefined): string {
  if (cell === undefined) return 'not recorded';
  const all = Object.entries(cell.scenarios);
  const failed = all.filter(([, found]) => found !== 'passed').map(([name]) => name);
  const count = `${all.length - failed.length}/${all.length}`;
  return failed.length === 0 ? count : `${count}: not ${failed.join(', ')}`;
}
