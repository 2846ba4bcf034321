import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = join(root, '.build', 'snippets');
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'packages/bullmq/README.md',
  'packages/server/README.md',
  'packages/stores/README.md',
  'packages/viewer/README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map(
    (name) => `docs/${name.replaceAll('\\', '/')}`,
  ),
].filter((page) => page.endsWith('.md'));

interface Snippet {
  readonly page: string;
  readonly language: string;
  /** What stands behind the language: `fragment` marks what is no program. */
  readonly mark: string;
  readonly code: string;
}

const snippets: readonly Snippet[] = pages.flatMap((page) =>
  [...read(page).matchAll(/^```(ts|js)(?: (.*))?\n([\s\S]*?)^```$/gm)].map(
    ([, language = '', mark = '', code = '']) => ({ page, language, mark: mark.trim(), code }),
  ),
);
const programs = snippets.filter(({ mark }) => mark === '');

/** What the compiler said, by file. */
const said = new Map<string, string[]>();

beforeAll(() => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const snippet of programs) writeFileSync(join(folder, fileOf(snippet)), snippet.code);
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({
      extends: '../../tsconfig.json',
      compilerOptions: {
        allowJs: true,
        checkJs: true,
        noUnusedLocals: false,
        noUnusedParameters: false,
        paths: {
          claudewire: ['../../src/index.ts'],
          'claudewire/adapter': ['../../src/adapter/index.ts'],
          'claudewire-bullmq': ['../../packages/bullmq/src/index.ts'],
          'claudewire-conformance': ['../../packages/conformance/src/index.ts'],
          'claudewire-server': ['../../packages/server/src/index.ts'],
          'claudewire-otel': ['../../packages/otel/src/index.ts'],
          'claudewire-otel/ledger': ['../../packages/otel/src/ledger/index.ts'],
          'claudewire-stores/*': ['../../packages/stores/src/*/index.ts'],
          'claudewire-viewer': ['../../packages/viewer/src/index.ts'],
          'claudewire/sdk-tools': ['../../src/tool-types/index.ts'],
          'claudewire/testing': ['../../src/testing/index.ts'],
        },
      },
      include: ['.'],
    }),
  );
  const { stdout } = spawnSync(
    process.execPath,
    [join(root, 'node_modules/typescript/bin/tsc'), '-p', folder, '--pretty', 'false'],
    { cwd: folder, encoding: 'utf8' },
  );
  for (const line of stdout.split('\n')) {
    const file = /^([^(\s]+)\(/.exec(line)?.[1];
    if (file !== undefined) said.set(file, [...(said.get(file) ?? []), line]);
  }
});

describe('snippets of the documentation', () => {
  test('are programs with an import, or marked as fragments', () => {
    expect(programs.length).toBeGreaterThan(15);
    const bare = programs.filter(({ code }) => !/^(import |const .*import\()/m.test(code));
    expect(bare.map(({ page, code }) => `${page}: ${code}`)).toEqual([]);
    expect(snippets.map(({ mark }) => mark).filter((mark) => !['', 'fragment'].includes(mark))).toEqual([]);
  });

  test.each(programs.map((snippet) => ({ file: fileOf(snippet) })))('$file compiles', ({ file }) => {
    expect(said.get(file) ?? []).toEqual([]);
  });

  test.each(readdirSync(join(root, 'examples')).filter((name) => name.endsWith('.mjs')))(
    'a page that shows examples/%s shows all of it',
    (name) => {
      const text = read(`examples/${name}`);
      const firstLine = text.split('\n')[0] ?? '';
      const body = text.slice(firstLine.length + 1);
      const showing = pages.filter((page) => read(page).includes(`](${up(page)}examples/${name})`));
      expect(showing).not.toEqual([]);
      expect(showing.some((page) => read(page).includes(body))).toBe(true);
    },
  );
});

test('README.md shows a whole program before its 30th line', () => {
  const top = read('README.md').split('\n').slice(0, 29).join('\n');
  expect(top).toContain(programs.find(({ page }) => page === 'README.md')?.code);
});

test('README.md has 110 lines at most', () => {
  const lines = read('README.md').trimEnd().split('\n').length;
  expect(lines, 'README.md: move details to a guide in docs/').toBeLessThanOrEqual(110);
});

test('the guides have 35,000 words at most, tables included, code blocks left out', () => {
  const guides = pages.filter((page) => /^docs\/(adapter\/)?[^/]+\.md$/.test(page) && page !== 'docs/architecture.md');
  const words = guides.reduce((sum, page) => sum + wordsOf(read(page)), 0);
  expect(guides).toContain('docs/adapter/evaluate.md');
  expect(words, 'shorten a guide, or move what is looked up to docs/reference/').toBeLessThanOrEqual(35_000);
});

test.each(pages)('every relative link of %s leads to a file, and to a heading of it', (page) => {
  const links = [
    ...read(page)
      .replace(/^```[\s\S]*?^```$/gm, '')
      .matchAll(/\]\(([^)\s]+)\)/g),
  ];
  const dead = links
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/.test(link))
    .filter((link) => {
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? page : join(dirname(page), path);
      if (!existsSync(join(root, target))) return true;
      return anchor !== undefined && !anchorsOf(read(target)).includes(anchor);
    });
  expect(dead).toEqual([]);
});

function anchorsOf(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}

function wordsOf(text: string): number {
  const prose = text.replace(/^ *```[\s\S]*?^ *```.*$/gm, '');
  return prose.split(/\s+/).filter((word) => word !== '').length;
}

function fileOf({ page, language, code }: Snippet): string {
  const own = programs.filter((program) => program.page === page);
  const index = own.findIndex((program) => program.code === code) + 1;
  return `${page.replace(/\W/g, '-').replace(/-md$/, '')}-${index}.m${language}`;
}

function up(page: string): string {
  return '../'.repeat(page.split('/').length - 1);
}

function read(page: string): string {
  return readFileSync(join(root, page), 'utf8');
}
