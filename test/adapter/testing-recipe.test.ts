import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Runs the recipes of docs/testing-your-app.md for programs that use the adapter: their tests are the tests of this file. */

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(join(root, 'docs/testing-your-app.md'), 'utf8');
const recipes = [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)]
  .map(([, code = '']) => code)
  .filter((code) => code.includes("from 'claudewire/adapter'"));
if (recipes.length !== 2) throw new Error(`${recipes.length} recipes for the adapter`);

const folder = join(root, '.build', 'adapter-recipe');
mkdirSync(folder, { recursive: true });
for (const [index, recipe] of recipes.entries()) {
  const file = join(folder, `recipe-${index + 1}.ts`);
  writeFileSync(file, recipe.replace(/'claudewire\/(\w+)'/g, "'../../src/$1/index.js'"));
  await import(file);
}
