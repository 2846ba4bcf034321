import type { SecondReading } from './second-reader.mjs';

interface JudgedChange {
  readonly happened: string;
  readonly path: string;
  readonly before?: { readonly kind: string };
  readonly now?: { readonly kind: string };
}

export const GROUPS: Readonly<Record<string, (each: { readonly group: string; readonly path: string }) => boolean>>;

export function judgeRelease(
  first: readonly { readonly path: string; readonly kind: string }[],
  second: SecondReading,
): { readonly counts: Readonly<Record<string, readonly [number, number]>>; readonly faults: readonly string[] };

export function judgeStep(
  changes: readonly JudgedChange[],
  before: SecondReading,
  now: SecondReading,
): { readonly counts: Readonly<Record<string, number>>; readonly faults: readonly string[] };
