#!/usr/bin/env node
/**
 * What an installation weighs, as the documents say it: the tarball, the unpacked package, everything that npm installs with
 * it, and how many packages that is. Bytes are file lengths; a MB is 1,000,000 of them.
 *
 *   npm run sizes                    builds, packs, installs into an empty project, and prints the figures
 *   npm run sizes -- --check         also compares README.md and docs/reference/performance.md with them
 *   npm run sizes -- --official DIR  also measures the official package in DIR/node_modules
 *
 * `check:package` compares the documents as well. With `--check` the last line is `N passed, N failed`.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('..', import.meta.url));
const MB = 1_000_000;
/** What a figure in a document may be off: versions of dependencies move between two releases. */
const TOLERANCE = 0.05;

/** Where the documents say the figures. Every pattern has the four groups. */
const STATEMENTS = [
  {
    file: 'README.md',
    pattern:
      /The package is (?<packed>[\d.]+) MB packed and (?<unpacked>[\d.]+) MB unpacked;\s+installed with its dependencies it is\s+(?<tree>[\d.]+) MB in (?<packages>\d+) packages/,
  },
  {
    file: 'docs/reference/performance.md',
    pattern:
      /packed +(?<packed>[\d.]+) MB\nunpacked +(?<unpacked>[\d.]+) MB\ninstalled +(?<tree>[\d.]+) MB in (?<packages>\d+) packages/,
  },
];

/** What `check:package` allows, in bytes. */
export const LIMITS = { unpacked: 6_200_000, code: 1_720_000, tree: 27_000_000 };

/** Packs what is built. @returns the tarball, its two sizes, and the bytes of code that runs. */
export function pack(destination) {
  const said = npm(['pack', '--json', '--ignore-scripts', '--pack-destination', destination], root);
  const report = JSON.parse(said);
  // An array in npm 10, an object by package name since npm 11.
  const [packed] = Array.isArray(report) ? report : Object.values(report);
  return {
    tarball: join(destination, packed.filename),
    packedBytes: packed.size,
    unpackedBytes: packed.unpackedSize,
    codeBytes: packed.files
      .filter(({ path }) => /^dist\/.*\.m?js$/.test(path))
      .reduce((sum, { size }) => sum + size, 0),
  };
}

/** @param project - A folder in which the tarball alone was installed, but for packages named in `except`. */
export function sizesOf({ packedBytes, unpackedBytes }, project, except = []) {
  const { packages } = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8'));
  const paths = Object.keys(packages).filter(
    (path) => path !== '' && !except.some((name) => path === `node_modules/${name}`),
  );
  return {
    packed: packedBytes / MB,
    unpacked: unpackedBytes / MB,
    tree: paths.reduce((sum, path) => sum + bytesOf(join(project, path)), 0) / MB,
    packages: paths.length,
  };
}

/** What the documents say otherwise; nothing when they are right. */
export function disagreements(measured) {
  return STATEMENTS.flatMap(({ file, pattern }) => {
    const said = pattern.exec(readFileSync(join(root, file), 'utf8'))?.groups;
    if (said === undefined) return [`${file} does not say the sizes in the known words`];
    return Object.entries(measured)
      .filter(([name, value]) => Math.abs(Number(said[name]) - value) > value * TOLERANCE)
      .map(([name, value]) => `${file} says ${name} ${said[name]}, measured ${rounded(value)}`);
  });
}

/** Without the packages below it: npm lists those by themselves. */
function bytesOf(folder, skips = true) {
  let sum = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) sum += skips && entry.name === 'node_modules' ? 0 : bytesOf(path, skips);
    else if (entry.isFile()) sum += statSync(path).size;
  }
  return sum;
}

function npm(args, cwd) {
  return execFileSync('npm', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

function rounded(value) {
  return Number(value.toPrecision(3));
}

function main() {
  const { values } = parseArgs({ options: { check: { type: 'boolean' }, official: { type: 'string' } } });
  const work = mkdtempSync(join(tmpdir(), 'claudewire-sizes-'));
  try {
    const project = join(work, 'project');
    mkdirSync(project);
    writeFileSync(join(project, 'package.json'), '{"name":"sizes","private":true}');
    const packed = pack(work);
    npm(['install', '--no-audit', '--no-fund', '--ignore-scripts', packed.tarball], project);
    const sizes = sizesOf(packed, project);
    console.log(`packed     ${rounded(sizes.packed)} MB`);
    console.log(`unpacked   ${rounded(sizes.unpacked)} MB`);
    console.log(`installed  ${rounded(sizes.tree)} MB in ${sizes.packages} packages`);
    if (values.official !== undefined) printOfficial(resolve(values.official, 'node_modules'));
    if (values.check !== true) return;
    const wrong = disagreements(sizes);
    for (const text of wrong) console.log(`FAILED  ${text}`);
    console.log(`${wrong.length === 0 ? 1 : 0} passed, ${wrong.length} failed`);
    process.exitCode = wrong.length === 0 ? 0 : 1;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Without the CLI's binary, which is an optional package of its own. */
function printOfficial(modules) {
  const own = bytesOf(join(modules, '@anthropic-ai', 'claude-agent-sdk'), false) / MB;
  const all = bytesOf(modules, false) / MB;
  console.log(`official   ${rounded(own)} MB unpacked, ${rounded(all)} MB installed`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
