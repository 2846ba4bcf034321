import { type Difference, differencesOf } from './differences.js';
import { type KnownDifference, knownDifference, type LanguageDifference } from './known-differences.js';
import { lineDifferences } from './line-order.js';
import type { Observation, ObservedProcess } from './observation.js';
import type { Language } from './program-runner.js';

/** What is compared, in the order in which it is reported. */
export const AREAS = ['argv', 'environment', 'frames', 'messages', 'errors'] as const;
export type Area = (typeof AREAS)[number];

export interface PlacedDifference extends Difference {
  /** Start of the CLI, from 1; `undefined` outside of processes. */
  readonly process: number | undefined;
  /** Why it is there, where that is known. */
  readonly known: KnownDifference | undefined;
}

export interface AreaResult {
  readonly area: Area;
  /** What counts, in order. */
  readonly differences: readonly PlacedDifference[];
  /** What differs between the SDKs of the two languages on purpose. */
  readonly byDesign: readonly PlacedDifference[];
}

export interface Side {
  readonly language: Language;
  readonly observation: Observation;
}

/** Compares what two programs did. */
export function comparePrograms(left: Side, right: Side): readonly AreaResult[] {
  return AREAS.map((area) => {
    const found = differencesIn(area, left.observation, right.observation).map((each) => ({
      ...each,
      known: knownOf(area, each, left, right),
    }));
    return {
      area,
      differences: found.filter(({ known }) => known === undefined || known.isToMend === true),
      byDesign: found.filter(({ known }) => known !== undefined && known.isToMend !== true),
    };
  });
}

type Found = Omit<PlacedDifference, 'known'>;

function differencesIn(area: Area, left: Observation, right: Observation): readonly Found[] {
  if (area === 'messages') return outside(lineDifferences(left, right));
  if (area === 'errors') return outside(differencesOf(left.error, right.error));
  const [a, b] = [left.processes, right.processes];
  const part = area === 'environment' ? 'env' : area;
  const shared = a.slice(0, b.length);
  const inside = shared.flatMap((process, index) =>
    differencesOf(process[part], b[index]?.[part]).map((each) => ({ ...each, process: index + 1 })),
  );
  const isCount = area === 'argv' && a.length !== b.length;
  return [...(isCount ? outside([{ path: ['starts of the CLI'], left: a.length, right: b.length }]) : []), ...inside];
}

function outside(differences: readonly Difference[]): readonly Found[] {
  return differences.map((each) => ({ ...each, process: undefined }));
}

function knownOf(area: Area, found: Found, left: Side, right: Side): KnownDifference | undefined {
  if (left.language === right.language) return undefined;
  const isLeftPython = left.language === 'python';
  const [python, typescript] = isLeftPython ? [left, right] : [right, left];
  const difference: LanguageDifference = {
    area,
    path: found.path,
    python: isLeftPython ? found.left : found.right,
    typescript: isLeftPython ? found.right : found.left,
    processes: processesOf(found.process, python.observation, typescript.observation),
  };
  return knownDifference(difference);
}

function processesOf(
  number: number | undefined,
  { processes: python }: Observation,
  { processes: typescript }: Observation,
): { readonly python: ObservedProcess; readonly typescript: ObservedProcess } | undefined {
  const [first, second] = number === undefined ? [] : [python[number - 1], typescript[number - 1]];
  return first === undefined || second === undefined ? undefined : { python: first, typescript: second };
}
