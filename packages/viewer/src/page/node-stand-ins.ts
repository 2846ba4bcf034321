/** In place of modules of Node, for the parts of the conversion that a page never calls. */

export function randomUUID(): string {
  return crypto.randomUUID();
}

export function isDeepStrictEqual(): never {
  throw new Error('nothing is compared in a page');
}
