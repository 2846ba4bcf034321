import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Runs the recipe of docs/testing-your-app.md for programs that use the adapter: its tests are the tests of this file. */

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(join(root, 'docs/testing-your-app.md'), 'utf8');
const recipes = [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)]
  .map(([, code = '']) => code)
  .filter((code) => code.includes("from 'claudewire/adapter'"));
if (recipes.length !== 1) throw new Error(`${recipes.length} recipes for the adapter`);

const folder = join(root, '.build', 'adapter-recipe');
mkdirSync(folder, { recursive: true });
const file = join(folder, 'recipe.ts');
const code = recipes[0]?.replace(/'claudewire\/(\w+)'/g, "'../../src/$1/index.js'") ?? '';
writeFileSync(file, code);
await import(file);
