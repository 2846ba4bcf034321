/** `claudewire/extract`: the executable out of a program that `bun build --compile` made. */
export { extractFromBunfs } from './transport/extract-from-bunfs.js';
