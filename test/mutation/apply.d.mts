import type { Change, Mutant } from './index.mjs';

export class SourceIndex {
  constructor(folder: string);
}

/** Loads a mutated file in a bundle of esbuild. */
export function replacing(mutated: { readonly file: string; readonly text: string }): import('esbuild').Plugin;
export function sourceIndex(): SourceIndex;
export function applyMutant(
  mutant: Pick<Mutant, 'name' | 'symbol'> & { readonly change: Change },
  index: SourceIndex,
): { readonly file: string; readonly text: string };
