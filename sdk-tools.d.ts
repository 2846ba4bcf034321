export type * from './dist/tool-types/index.js';
