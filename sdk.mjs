import { query as inner } from './dist/index.js';

// A function of this file: tracers rewrite what `sdk.mjs` itself exports as `query`, and a re-export leaves them nothing.
function run(params) {
  return inner(params);
}

Object.defineProperty(run, 'name', { value: 'query' });

export * from './dist/index.js';
export { run as query };
