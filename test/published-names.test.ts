import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Names that a text may tell a reader to install or run: whoever publishes a name runs code on that reader's machine.
 * `claudewire`, `claudewire-conformance` and `claudewire-server` are not among them until they are published from this repository.
 */
const PUBLISHED = [
  '@anthropic-ai/claude-code',
  '@anthropic-ai/claude-agent-sdk-linux-x64',
  // Of the distribution.
  'bubblewrap',
  'socat',
  'curl',
  'redis-server',
  'postgresql',
  // Runs the TypeScript program of a pair.
  'tsx',
  // Compile a reader's first program.
  'typescript',
  '@types/node',
  // Peer dependencies.
  'zod',
  'bullmq',
  'ioredis',
  'pg',
  '@opentelemetry/api',
  // A development dependency of this repository, run in a clone.
  'vitest',
];

const RUNS_ONE = /\b(?:npx|bunx|uvx|pipx run|npm (?:exec|x|create|init)|(?:pnpm|yarn) (?:dlx|create|exec))\b/;
const INSTALLS =
  /\b(?:npm (?:install|i|add|link)|pnpm (?:install|i|add)|yarn (?:global )?add|bun add|pip3? install|pipx install|go (?:get|install)|cargo (?:add|install)|apt(?:-get)? install|brew install)\b/;
const COMMAND = new RegExp(`(?:${RUNS_ONE.source}|${INSTALLS.source})(?= )`, 'g');

/** Where the words of a command end: a quote, a bracket, an operator, a comment, the end of the line or of a sentence. */
const END = /[`'"\n;|&#()<>,]|[.:]( |$)|\\n/;
const IS_PACKAGE = /^(?:@[\w.-]+\/)?[\w.-]+(?:@[\w.^~*-]+)?$/;

interface Named {
  readonly command: string;
  readonly name: string;
}

/** The packages that the commands in a text name. `${NAME}` is taken from a constant of the same file. */
function namedIn(text: string): readonly Named[] {
  const filled = text.replace(/\$\{([A-Z_]+)\}/g, (whole, name: string) => {
    return new RegExp(`const ${name} = '([^']+)'`).exec(text)?.[1] ?? whole;
  });
  return [...filled.matchAll(COMMAND)].flatMap(({ 0: command, index }) => {
    // `<clone>` and the like stand for a path, so they are not an end.
    const rest = filled.slice(index + command.length, index + 400).replace(/<[\w-]+>/g, './x');
    const words = rest
      .slice(0, END.exec(rest)?.index ?? rest.length)
      .trim()
      .split(/\s+/)
      .filter((word) => word !== '' && !word.startsWith('-'));
    const packages = RUNS_ONE.test(command) ? words.slice(0, 1) : words;
    return packages
      .filter((word) => IS_PACKAGE.test(word) && !word.endsWith('.tgz') && !word.endsWith('.txt'))
      .map((word) => ({ command, name: word.replace(/(?<=.)@.*$/, '') }));
  });
}

const files = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' })
  .split('\0')
  .filter((file) => /\.(?:md|[cm]?[jt]sx?|json|ya?ml|py|go|sh|txt|toml)$|^\.ci\/run$/.test(file))
  // Lists of what npm resolved, and what real programs wrote.
  .filter((file) => !/package-lock\.json$|\/recordings\/|^test\/published-names/.test(file));

describe('texts that a reader may follow (item 5)', () => {
  test('name no package that others could publish', () => {
    expect(files.length).toBeGreaterThan(1_000);
    const named = files.flatMap((file) =>
      namedIn(readFileSync(join(root, file), 'utf8')).map((each) => ({ file, ...each })),
    );
    expect(named.filter(({ name }) => !PUBLISHED.includes(name))).toEqual([]);
    // Each is named somewhere, so the patterns find what they are for.
    expect([...new Set(named.map(({ name }) => name))].sort()).toEqual([...PUBLISHED].sort());
  });

  test('ask for no version of ours from a registry', () => {
    const asked = files.flatMap((file) =>
      [
        ...readFileSync(join(root, file), 'utf8').matchAll(
          /"claudewire(?:-conformance|-server)?": ?"(?!file:|\.|\*")[\^~]?\d|npm:claudewire|(?:unpkg\.com|jsdelivr\.net\/npm|esm\.sh)\/claudewire/g,
        ),
      ].map(([text]) => `${file}: ${text}`),
    );
    expect(asked).toEqual([]);
  });

  test.each([
    ['npx claudewire demo', ['claudewire']],
    ['Run "npm install --save-dev claudewire-conformance".', ['claudewire-conformance']],
    ['npx --yes claudewire@0.1 demo', ['claudewire']],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: that is what the sources hold
    ["const P = 'claudewire';\n`npm i ${P}`", ['claudewire']],
    ['npm install <clone>/claudewire-0.1.0.tgz ./b.tgz', []],
    ['`npx`, `npm install`', []],
    ['npm install @anthropic-ai/claude-code   # the CLI', ['@anthropic-ai/claude-code']],
  ])('%s names %j', (text, names) => {
    expect(namedIn(text).map(({ name }) => name)).toEqual(names);
  });
});
