import type { Dependent } from './dependent.js';
import { NODE_20 } from './node-20.js';

/** Every dependent, by the version of Node that it needs. */
export const DEPENDENTS: readonly Dependent[] = [...NODE_20];
