import type { Change, Mutant } from './index.mjs';

export class SourceIndex {
  constructor(folder: string);
}

export function sourceIndex(): SourceIndex;
export function applyMutant(
  mutant: Pick<Mutant, 'name' | 'symbol'> & { readonly change: Change },
  index: SourceIndex,
): { readonly file: string; readonly text: string };
