/** Bundles the page into one HTML file: script and styles inside, allowed by their hashes and nothing else. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { transform } from 'esbuild';
import { build } from 'rolldown';

const here = fileURLToPath(new URL('..', import.meta.url));
const root = join(here, '../..');
const page = join(here, 'src/page');
const require = createRequire(import.meta.url);

const PAGE_PACKAGES = ['claudewire/testing', 'uplot', '@tanstack/virtual-core'];

const isStoodIn = (id, from) => /^node:(?:crypto|util)$/.test(id) && from?.endsWith('player/patterns.ts');
/** Classes beside the functions that a page needs import these. */
const withoutNode = {
  name: 'without-node',
  resolveId: (id, from) => (isStoodIn(id, from) ? join(page, 'node-stand-ins.ts') : null),
};

/** Writes the page to `file`, as a whole; compressed where its name ends in `.gz`. */
export async function buildPage(file = join(here, 'dist/viewer.html')) {
  const html = await pageText();
  mkdirSync(dirname(file), { recursive: true });
  // Tests that run side by side build the same file.
  const draft = `${file}.${process.pid}.${Math.random().toString(36).slice(2)}`;
  writeFileSync(draft, file.endsWith('.gz') ? gzipSync(html, { level: 9 }) : html);
  renameSync(draft, file);
  return file;
}

async function pageText() {
  const script = inScript((await bundle()).trim());
  const styles = [
    readFileSync(require.resolve('uplot/dist/uPlot.min.css'), 'utf8'),
    readFileSync(join(page, 'page.css'), 'utf8'),
  ];
  const { code } = await transform(styles.join('\n'), { loader: 'css', minify: true });
  const style = code.trim();
  const policy = [
    "default-src 'none'",
    `script-src ${hash(script)}`,
    `style-src ${hash(style)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join(';');
  return readFileSync(join(page, 'index.html'), 'utf8')
    .replace('%CSP%', () => policy)
    .replace('/*style*/', () => style)
    .replace('/*script*/', () => script);
}

async function bundle() {
  const { output } = await build({
    cwd: root,
    input: join(page, 'main.ts'),
    platform: 'browser',
    plugins: [withoutNode],
    resolve: { alias: { 'claudewire/testing': join(root, 'src/testing/index.ts') } },
    // Modules of Node have nothing to do in a page: the build fails where one would be.
    // What the conversion of recordings does not need goes, with these imports.
    external: (id, from) => /^[@a-z]/i.test(id) && !PAGE_PACKAGES.includes(id) && !isStoodIn(id, from),
    logLevel: 'silent',
    treeshake: { moduleSideEffects: false },
    transform: { target: 'es2022' },
    output: { format: 'iife', minify: true, codeSplitting: false },
    write: false,
  });
  const { code } = output[0];
  const imports = output[0].imports;
  if (imports.length > 0) throw new Error(`the page would import ${imports.join(', ')}`);
  return code;
}

/** A script ends where `</script` is, also in a string of it. */
function inScript(code) {
  return code.replaceAll(/<\/(script)/gi, '<\\/$1').replaceAll('<!--', '<\\!--');
}

function hash(text) {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
