import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { beforeAll, expect, test } from 'vitest';
import { buildPackage } from '../helpers/built-package.js';

const root = join(import.meta.dirname, '..', '..');
const docs = readFileSync(join(root, 'docs/testing-your-app.md'), 'utf8');

/** Tests for vitest that are on the page alone. Those of the adapter are run by `test/adapter/testing-recipe.test.ts`. */
const programs = [...docs.matchAll(/^```ts\n([\s\S]*?)^```$/gm)]
  .map(([, code = '']) => code)
  .filter((code) => code.includes("from 'vitest'") && !code.includes("from 'claudewire/adapter'"));

/** A copy of the package with the examples beside it: `claudewire/testing` then resolves to that build. */
let folder = '';

beforeAll(() => {
  folder = join(buildPackage('recipes'), '..');
  const examples = join(folder, 'examples');
  rmSync(examples, { recursive: true, force: true });
  cpSync(join(root, 'examples', 'testing'), join(examples, 'testing'), { recursive: true });
  for (const [index, code] of programs.entries()) {
    writeFileSync(join(examples, 'testing', `page-${index}.vitest.mts`), code);
  }
  const config = "export default { test: { include: ['*.vitest.*'] } };";
  writeFileSync(join(examples, 'testing', 'vitest.config.mjs'), config);
});

interface RunnerReport {
  readonly passed: string[];
  readonly output: string;
}

async function run(args: readonly string[]): Promise<string> {
  const { all } = await execa(process.execPath, args, {
    cwd: folder,
    // Nothing is recorded here, nothing runs a real CLI, and no runner takes itself for a part of this one.
    env: { PATH: process.env.PATH, HOME: join(folder, 'no-home'), CI: '1', NO_COLOR: '1' },
    extendEnv: false,
    stdin: 'ignore',
    all: true,
    reject: false,
  });
  return all;
}

async function nodeTest(): Promise<RunnerReport> {
  const files = readdirSync(join(folder, 'examples/testing')).filter((f) => f.endsWith('.node.mjs'));
  const output = await run(['--test', '--test-reporter=tap', ...files.map((file) => join('examples/testing', file))]);
  const passed = [...output.matchAll(/^ok \d+ - (.*)$/gm)].map(([, name = '']) => name);
  return { passed, output };
}

async function vitest(): Promise<RunnerReport> {
  const output = await run([
    join(root, 'node_modules/vitest/vitest.mjs'),
    'run',
    '--root=examples/testing',
    '--reporter=json',
  ]);
  const report = JSON.parse(output.slice(output.indexOf('{'), output.lastIndexOf('}') + 1)) as {
    testResults: { assertionResults: { title: string; status: string }[] }[];
  };
  const results = report.testResults.flatMap(({ assertionResults }) => assertionResults);
  return { passed: results.filter(({ status }) => status === 'passed').map(({ title }) => title), output };
}

const RECIPES = [
  'a crash is no reason to ask again',
  'a question ends with its client',
  'nothing is deleted, and what ran is noted',
  'says what the model said',
  'the answer is the text of the result',
  'the second question resumes the session of the first',
  'waits until the limit resets, and then asks again',
  'what the real CLI made of the answers of the program',
];

test('the recipes and programs of the page pass on node:test and vitest, offline', async () => {
  const reports = await Promise.all([nodeTest(), vitest()]);
  const output = reports.map((report) => report.output).join('\n');
  expect(reports.flatMap(({ passed }) => passed).sort(), output).toEqual(RECIPES);
});

test('the page shows every recipe as it is', () => {
  const recipes = readdirSync(join(root, 'examples/testing')).filter((file) => /^\d-/.test(file));
  expect(recipes).toHaveLength(5);
  for (const recipe of recipes) {
    const code = readFileSync(join(root, 'examples/testing', recipe), 'utf8');
    expect(docs, recipe).toContain(`(../examples/testing/${recipe})`);
    expect(docs, recipe).toContain(code.replace(/^\/\*\*.*\*\/\n/, '').trim());
  }
});
