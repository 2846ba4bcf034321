import type { Dependent } from './dependent.js';
import { NODE_20 } from './node-20.js';
import { NODE_22 } from './node-22.js';

/** Every dependent, by the version of Node that it needs. */
export const DEPENDENTS: readonly Dependent[] = [...NODE_20, ...NODE_22];
