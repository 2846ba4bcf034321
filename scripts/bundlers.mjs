/**
 * Builds and runs the recipes of `docs/reference/bundlers.md`: Next.js, Jest, Vite, file tracing, esbuild and webpack, over
 * a packed claudewire and the scripted CLI. Only the install needs a registry.
 *
 *   npm run test:bundlers
 *
 * The files are the code blocks of the page whose first line is a name. What was built runs in a folder without
 * `node_modules` wherever it should need none. The last line is `N passed, N failed`. Exits with 1 when anything failed.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { execa } from 'execa';
import { answerOf } from '../test/bundlers/standalone.mjs';
import { npmCi } from './namespace.mjs';
import { outputOf } from './run.mjs';

const MINUTE = 60_000;
const root = fileURLToPath(new URL('..', import.meta.url));
// Outside of the checkout: a tracer or a bundler would find our own packages above it.
const work = mkdtempSync(join(tmpdir(), 'claudewire-bundlers-'));
const project = join(work, 'project');
const QUESTION = 'What do the hats cost?';
const ANSWER = 'I will look. 3 hats, 5 EUR each.';
/** As programs write them, by what they are for. */
const BANNERS = {
  require: "import { createRequire } from 'module'; const require = createRequire(import.meta.url);",
  __dirname: `import { fileURLToPath } from 'node:url'; import { dirname } from 'node:path';
const __filename = fileURLToPath(import.meta.url); const __dirname = dirname(__filename);`,
};
const counts = { passed: 0, failed: 0 };

try {
  install();
  const { scriptedCli } = await import(pathToFileURL(join(work, 'claudewire/dist/testing/index.js')).href);

  await check('the trace, copied to an empty folder', async () => {
    await node(['trace.js'], project);
    await play(scriptedCli, (env) => node(['program.js', QUESTION], join(project, 'traced'), env));
  });
  for (const format of ['esm', 'cjs']) {
    await check(`esbuild, ${format}`, async () => {
      const outfile = alone(`esbuild-${format}`, format === 'esm' ? 'program.mjs' : 'program.cjs');
      const { warnings } = await build({
        stdin: { contents: programFor(format), resolveDir: project },
        ...{ outfile, format, bundle: true, platform: 'node', logLevel: 'silent' },
        logOverride: { 'empty-import-meta': 'silent' },
      });
      if (warnings.length > 0) throw new Error(warnings.map(({ text }) => text).join('\n'));
      await play(scriptedCli, (env) => node([outfile, QUESTION], dirname(outfile), env));
    });
    await check(`webpack, ${format}`, async () => {
      const outfile = alone(`webpack-${format}`, format === 'esm' ? 'program.mjs' : 'program.cjs');
      await runWebpack(format, outfile);
      await play(scriptedCli, (env) => node([outfile, QUESTION], dirname(outfile), env));
    });
  }
  for (const [name, js] of Object.entries(BANNERS)) {
    await check(`esbuild, with a banner that declares ${name}`, async () => {
      const outfile = alone(`esbuild-${name}`, 'program.mjs');
      const contents = `${programFor('esm')}\nif (typeof ${name} === 'undefined') throw new Error('no ${name}');\n`;
      await build({
        stdin: { contents, resolveDir: project },
        ...{ outfile, format: 'esm', bundle: true, platform: 'node', logLevel: 'silent', banner: { js } },
      });
      await play(scriptedCli, (env) => node([outfile, QUESTION], dirname(outfile), env));
    });
  }
  await check('Vite SSR', async () => {
    await vite(['build', '--ssr', 'program.js', '--outDir', 'ssr']);
    await play(scriptedCli, (env) => node(['ssr/program.js', QUESTION], project, env));
  });
  await check('Vite SSR, all inside', async () => {
    writeFileSync(join(project, 'inside.config.js'), 'export default { ssr: { noExternal: true } };\n');
    const outfile = alone('vite', 'program.js');
    writeFileSync(join(dirname(outfile), 'package.json'), '{"type":"module"}');
    await vite(['build', '--config', 'inside.config.js', '--ssr', 'program.js', '--outDir', 'inside']);
    cpSync(join(project, 'inside'), dirname(outfile), { recursive: true });
    await play(scriptedCli, (env) => node([outfile, QUESTION], dirname(outfile), env));
  });
  await check('Jest, ES modules: passes, and nothing stays open', async () => {
    const said = await jest(['--experimental-vm-modules']);
    if (!/Tests: +1 passed/.test(said) || /open handle|did not exit/.test(said)) throw new Error(said);
  });
  await check('Jest, CommonJS: says what the page says', async () => {
    const said = await jest([]);
    const { length } =
      said.match(/Must use import to load ES Module|Cannot use import statement outside a module/g) ?? [];
    if (length === 0 || /passed/.test(said)) throw new Error(said);
  });
  for (const mode of ['external', 'bundled']) {
    await check(`Next.js standalone, claudewire ${mode}`, async () => {
      if (mode === 'bundled') removeFromConfig();
      rmSync(join(project, '.next'), { recursive: true, force: true });
      await node(['node_modules/next/dist/bin/next', 'build'], project, { NEXT_TELEMETRY_DISABLED: '1' });
      const standalone = join(work, `standalone-${mode}`);
      cpSync(join(project, '.next/standalone'), standalone, { recursive: true, verbatimSymlinks: true });
      await play(scriptedCli, (env) => answerOf(standalone, env, QUESTION));
    });
  }
} finally {
  rmSync(work, { recursive: true, force: true, maxRetries: 5 });
}
console.log(`${counts.passed} passed, ${counts.failed} failed`);
process.exitCode = counts.failed === 0 ? 0 : 1;

/** A build of its own: other stages replace `dist` meanwhile. */
function install() {
  const built = join(work, 'claudewire');
  outputOf('node', ['scripts/build.mjs', '--quiet', '--no-types', '--out-dir', join(built, 'dist')], root);
  const [{ filename }] = Object.values(JSON.parse(outputOf('npm', ['pack', '--json', '--ignore-scripts'], built)));
  mkdirSync(project);
  for (const file of ['package.json', 'package-lock.json'])
    cpSync(join(root, 'test/bundlers', file), join(project, file));
  cpSync(join(root, '.npmrc'), join(project, '.npmrc'));
  npmCi(project);
  outputOf('npm', ['install', '--no-save', '--ignore-scripts', join(built, filename)], project);
  const page = readFileSync(join(root, 'docs/reference/bundlers.md'), 'utf8');
  for (const [, file, code] of page.matchAll(/^```js(?: fragment)?\n\/\/ (\S+\.js)\n([\s\S]*?)^```$/gm)) {
    mkdirSync(dirname(join(project, file)), { recursive: true });
    writeFileSync(join(project, file), code);
  }
  const [, packageJson] = /^```json\n([\s\S]*?)^```$/m.exec(page);
  writeFileSync(join(project, 'package.json'), packageJson);
  const layout = 'export default ({ children }) => <html lang="en"><body>{children}</body></html>;\n';
  writeFileSync(join(project, 'app/layout.js'), layout);
}

async function check(name, action) {
  const began = performance.now();
  try {
    await action();
    counts.passed += 1;
    console.log(`ok      ${name} (${Math.round((performance.now() - began) / 1000)} s)`);
  } catch (error) {
    counts.failed += 1;
    // For a command, the message has what it printed.
    console.log(`FAILED  ${name}\n${error.message}`);
  }
}

/** Runs a program over a scripted CLI that calls both tools, the second of which is known to the `McpServer` alone. */
async function play(scriptedCli, run) {
  const cli = scriptedCli(({ mcpHandshake, prompt, init, partialText, toolUse, mcpCall, toolResult, result }) => [
    mcpHandshake('shop'),
    prompt(QUESTION),
    init(),
    partialText(['I will ', 'look. ']),
    toolUse('mcp__shop__stock', { item: 'hats' }),
    mcpCall('shop', 'stock', { item: 'hats' }, { expect: { content: [{ text: '3 hats' }] } }),
    toolResult('3 hats'),
    toolUse('mcp__shop__price', { item: 'hats' }),
    mcpCall('shop', 'price', { item: 'hats' }, { expect: { content: [{ text: '5 EUR' }] } }),
    toolResult('5 EUR'),
    { delayMs: 100 },
    partialText(['3 hats, ', '5 EUR each.']),
    result('3 hats, 5 EUR each.'),
  ]);
  try {
    const said = await run({ CLAUDE_CODE_EXECUTABLE: cli.path });
    if (said !== ANSWER) throw new Error(`said\n${said}\ninstead of\n${ANSWER}`);
  } catch (error) {
    // What the script says then only follows from this.
    await cli.close().catch(() => {});
    throw error;
  }
  await cli.close();
}

/** What a program prints. */
async function node(args, cwd, env = {}) {
  const options = { cwd, env, stdin: 'ignore', timeout: 3 * MINUTE };
  return (await execa(process.execPath, args, options)).stdout;
}

function vite(args) {
  return node(['node_modules/vite/bin/vite.js', ...args, '--logLevel', 'error'], project);
}

async function jest(flags) {
  const args = [...flags, 'node_modules/jest/bin/jest.js', '--detectOpenHandles', '--no-cache'];
  const options = { cwd: project, stdin: 'ignore', timeout: MINUTE, reject: false, all: true };
  const { all, timedOut } = await execa(process.execPath, args, options);
  return timedOut ? `${all}\ndid not exit` : all;
}

/** A file in a folder that has nothing else. */
function alone(folder, file) {
  mkdirSync(join(work, folder));
  return join(work, folder, file);
}

/** CommonJS has no `await` outside of functions. */
function programFor(format) {
  const program = readFileSync(join(project, 'program.js'), 'utf8');
  return format === 'esm' ? program : program.replace(/^for await[\s\S]*/m, '(async () => {\n$&})();\n');
}

async function runWebpack(format, outfile) {
  const { default: webpack } = await import(createRequire(join(project, 'x')).resolve('webpack'));
  const isModule = format === 'esm';
  writeFileSync(join(project, `for-${format}.mjs`), programFor(format));
  const stats = await new Promise((resolve, reject) => {
    const config = {
      ...{ mode: 'none', target: 'node20', context: project, entry: `./for-${format}.mjs` },
      experiments: { outputModule: isModule },
      output: { path: dirname(outfile), filename: basename(outfile), module: isModule },
    };
    webpack(config, (error, done) => (error ? reject(error) : resolve(done)));
  });
  const said = stats.toString({ all: false, errors: true, warnings: true });
  if (said !== '') throw new Error(said);
}

function removeFromConfig() {
  const file = join(project, 'next.config.js');
  writeFileSync(file, readFileSync(file, 'utf8').replace(/, serverExternalPackages: .*\]/, ''));
}
