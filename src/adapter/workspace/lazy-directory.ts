import type { AnchoredDirectory } from './anchored-directory.js';

/** A directory that is made when the first file goes into it. */
export class LazyDirectory {
  readonly #make: () => Promise<AnchoredDirectory>;
  #made: Promise<AnchoredDirectory> | undefined;

  constructor(make: () => Promise<AnchoredDirectory>) {
    this.#make = make;
  }

  get(): Promise<AnchoredDirectory> {
    this.#made ??= this.#make();
    return this.#made;
  }

  child(name: string): LazyDirectory {
    return new LazyDirectory(async () => (await this.get()).ensureDirectory(name));
  }

  async close(): Promise<void> {
    await (await this.#made?.catch(() => undefined))?.close();
  }
}
