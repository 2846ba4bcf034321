import { query as inner } from './dist/index.js';

// A function of this file: tracers rewrite what `sdk.mjs` itself exports as `query`, and a re-export leaves them nothing.
function query(params) {
  return inner(params);
}

export * from './dist/index.js';
export { query };
