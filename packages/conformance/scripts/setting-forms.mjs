/**
 * Looks for settings that make older releases of the CLI drop all of the settings: `packages/conformance/wire/setting-forms.json`.
 *
 *   npm run releases:settings -- [--version V]... [--built] [--work DIR]
 *
 * Takes a value of each form that the type `Settings` of the official SDK in `test/parity/official` allows, as the SDK would send
 * it to the release, and gives many of them at once beside a rule that denies. Where the rule is lost, halves find the form. The
 * newest release comes first: what it drops too is nobody's fault. Releases are installed, run in a network namespace, and removed.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { rolldown } from 'rolldown';
import { findNamespace } from '../../../scripts/namespace.mjs';
import { exitCodeOf } from '../../../scripts/run.mjs';
import { buildTools } from './build-tools.mjs';
import { settingForms } from './releases/setting-forms.mjs';

const folder = fileURLToPath(new URL('..', import.meta.url));
const root = fileURLToPath(new URL('../../..', import.meta.url));
const file = join(folder, 'wire', 'setting-forms.json');
const NEWEST = '2.1.330';
const RELEASES = [NEWEST, '2.0.56', '2.0.77', '2.1.47', '2.1.84', '2.1.120', '2.1.200', '2.1.260'];
const LIMIT_MS = 3_600_000;

const { values } = parseArgs({
  options: {
    version: { type: 'string', multiple: true, default: RELEASES },
    built: { type: 'boolean', default: false },
    work: { type: 'string', default: join(root, '.build', 'releases') },
  },
});
const out = resolve(values.work);
const built = { dist: join(out, 'dist'), sdk: join(out, 'node_modules', 'claudewire', 'dist') };
const { dist, sdk } = values.built ? built : buildTools(out);
const { installRelease } = await import(pathToFileURL(join(dist, 'drift', 'install-release.js')).href);
const { knownSettings } = await knownSettingsOfSdk();
const official = join(root, 'test', 'parity', 'official', 'node_modules', '@anthropic-ai', 'claude-agent-sdk');
const forms = settingForms(readFileSync(join(official, 'sdk.d.ts'), 'utf8'));
const keys = new Set(forms.flatMap(({ value }) => Object.keys(value))).size;

for (const version of values.version) await searchOn(version);

async function searchOn(version) {
  const began = Date.now();
  const unknown = new Set(version === NEWEST ? [] : (read().releases[NEWEST]?.dropped ?? []));
  const tried = forms.filter(({ name, value }) => !unknown.has(name) && isSentAsItIs(value, version));
  const found = await search(version, tried);
  if (found === undefined) return;
  const { releases } = read();
  const { runs, dropped, unclear } = found;
  save({
    ...releases,
    [version]: { tried: tried.length, changed: forms.length - unknown.size - tried.length, dropped, unclear },
  });
  const seconds = Math.round((Date.now() - began) / 1000);
  console.log(`${version}: ${tried.length} forms, ${dropped.length} dropped, ${runs} runs, ${seconds} s`);
}

function isSentAsItIs(value, version) {
  const { settings, refused } = knownSettings(value, version);
  return settings === value && refused === undefined;
}

async function search(version, tried) {
  const cache = join(out, 'forms-cache');
  const [job, answer] = ['job', 'found'].map((name) => join(out, `forms-${version}.${name}.json`));
  const wasThere = existsSync(join(cache, 'cli', version));
  mkdirSync(out, { recursive: true });
  try {
    const { path } = await installRelease('cli', version, cache);
    const stage = join(out, `forms-${version}`);
    writeFileSync(job, JSON.stringify({ cli: path, dist, sdk, forms: tried, root: stage, out: answer }));
    const script = join(folder, 'scripts', 'releases', 'search-forms.mjs');
    const [command, ...args] = [...findNamespace(), process.execPath, script, job];
    const env = { PATH: process.env.PATH, HOME: out, TMPDIR: process.env.TMPDIR, LANG: 'C.UTF-8' };
    const code = await exitCodeOf(command, args, { cwd: out, env, timeout: LIMIT_MS });
    if (code !== 0) console.log(`${version}: ended with ${code}`);
    return code === 0 ? JSON.parse(readFileSync(answer, 'utf8')) : undefined;
  } finally {
    for (const each of [job, answer]) rmSync(each, { force: true });
    if (!wasThere) rmSync(join(cache, 'cli', version), { recursive: true, force: true });
  }
}

/** The package does not export it. */
async function knownSettingsOfSdk() {
  const bundle = await rolldown({
    input: join(root, 'src', 'query', 'releases', 'known-settings.ts'),
    platform: 'node',
  });
  const built = join(out, 'known-settings.mjs');
  await bundle.write({ file: built });
  return import(pathToFileURL(built).href);
}

function read() {
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { releases: {} };
}

function save(releases) {
  writeFileSync(file, `${JSON.stringify({ keys, forms: forms.length, releases }, undefined, 2)}\n`);
}
