// Looks through the data package for what must not be in it: secrets, machine paths, stale versions, unknown ids, files
// that do not fit their schema, scenarios that demand more than the CLI does. Usage: lint.mjs [FOLDER]. Prints one problem a line; exits 1 when there is one.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { unfairDemands } from './fairness.mjs';

/** The release that the data was made with. Another one stands only where a header or a requirement says so. */
const CLI_VERSION = '2.1.330';

const SECRETS = [
  [/\bsk-ant-(?!fake\b)[A-Za-z0-9_-]{4,}/, 'an API key'],
  [/\b(?:gh[pousr]_|github_pat_|xox[abprs]-|AKIA|AIza|npm_)[A-Za-z0-9_-]{12,}/, 'a token'],
  [/\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}/, 'a JSON web token'],
  [/\bBearer\s+[A-Za-z0-9._~+/-]{12,}/i, 'a bearer token'],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----/, 'a private key'],
  [
    /\b[A-Za-z0-9._%+-]+@(?!example\b|[a-z0-9.-]*\.?example(?:\.(?:com|org|net))?\b)[A-Za-z0-9-]+\.[A-Za-z]{2,}\b/,
    'an e-mail address',
  ],
  [/(?:\/home\/|\/Users\/|[A-Z]:\\\\?Users\\\\?)(?!user\b|dir\b|me\b)[A-Za-z0-9._-]+/, 'a home folder'],
  [/(?<![\w/])\/(?:tmp|private\/var|var\/folders|root|work)\/[A-Za-z0-9._-]+/, 'a path of a machine'],
  [/\b(?:localhost|127\.0\.0\.1|\[::1\]):\d{2,5}\b/, 'a port of a machine'],
];

const PROVENANCE_FIELDS = new Set(['cliVersion', 'since', 'until', 'cli_version', 'claude_code_version']);

/** Every problem of the folder, as `file:line: what`. */
export function lintConformance(folder) {
  const problems = [];
  const schemas = new Map();
  const ajv = new Ajv2020({ strict: true, strictRequired: false, allowUnionTypes: true });
  const report = (file, line, what) => problems.push(`${relative(folder, file)}:${line}: ${what}`);

  for (const file of filesOf(folder)) {
    const text = readFileSync(file, 'utf8');
    text.split('\n').forEach((line, index) => {
      for (const [pattern, what] of SECRETS) {
        if (pattern.test(line)) report(file, index + 1, `looks like ${what}`);
      }
      for (const [, field, version] of line.matchAll(/"(\w+)":\s*"(2\.\d+\.\d+)"/g)) {
        const isBound = field === 'since' || field === 'until';
        if (PROVENANCE_FIELDS.has(field) && !isBound && version !== CLI_VERSION)
          report(file, index + 1, `${field} ${version} is not ${CLI_VERSION}`);
      }
    });
    if (file.endsWith('.json')) checkJson(file, text);
  }

  const requirements = jsonIn(join(folder, 'requirements')).flatMap(({ value }) => value.requirements ?? []);
  const ids = new Set(requirements.map(({ id }) => id));
  for (const { file, value } of jsonIn(join(folder, 'requirements'))) {
    checkAgainst('requirements', file, value);
    if (basename(file, '.json') !== value.level) report(file, 1, `is named ${basename(file)} but is of ${value.level}`);
  }
  for (const { file, value } of jsonIn(join(folder, 'vectors'))) {
    checkAgainst('vectors', file, value);
    if (basename(file, '.json') !== value.kind) report(file, 1, `is named ${basename(file)} but holds ${value.kind}`);
    const seen = new Set();
    for (const { id, requirements: named = [] } of value.vectors ?? []) {
      if (seen.has(id)) report(file, 1, `vector ${id} is there twice`);
      seen.add(id);
      for (const one of named) if (!ids.has(one)) report(file, 1, `vector ${id} names ${one}, which is no requirement`);
    }
  }
  for (const file of filesOf(join(folder, 'scenarios'))) checkScenario(file);
  return problems;

  function checkJson(file, text) {
    try {
      JSON.parse(text);
    } catch (error) {
      report(file, 1, `is not JSON: ${error.message}`);
    }
  }

  function checkAgainst(name, file, value) {
    const problem = validate(name, value);
    if (problem !== undefined) report(file, 1, problem);
  }

  function validate(name, value) {
    const path = join(folder, 'schemas', `${name}.schema.json`);
    if (!schemas.has(name)) schemas.set(name, ajv.compile(JSON.parse(readFileSync(path, 'utf8'))));
    const check = schemas.get(name);
    return check(value) ? undefined : ajv.errorsText(check.errors);
  }

  function checkScenario(file) {
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    let header;
    let steps;
    try {
      [header, ...steps] = lines.map((line) => JSON.parse(line));
    } catch (error) {
      report(file, 1, `is not JSON Lines: ${error.message}`);
      return;
    }
    for (const [line, what] of unfairDemands([header, ...steps])) report(file, line, what);
    const { scenario: name, level, requirements: named = [], about, source = [] } = header;
    if (basename(file) !== `${name}.jsonl`) report(file, 1, `is named ${basename(file)} but says ${name}`);
    if (!String(name).startsWith(`${String(level).toLowerCase()}-`))
      report(file, 1, `${name} does not begin with its level ${level}`);
    if (basename(dirname(file)) !== level) report(file, 1, `of ${level} lies in ${basename(dirname(file))}`);
    if (typeof about !== 'string' || about === '') report(file, 1, 'has no about');
    if (named.length === 0) report(file, 1, 'names no requirement');
    if (source.length === 0) report(file, 1, 'names no source');
    for (const id of named) if (!ids.has(id)) report(file, 1, `names ${id}, which is no requirement`);
  }
}

function jsonIn(folder) {
  return filesOf(folder).flatMap((file) => {
    try {
      return [{ file, value: JSON.parse(readFileSync(file, 'utf8')) }];
    } catch {
      // Reported with its reason by the pass over all files.
      return [];
    }
  });
}

/** Folders with programs, which have rules of their own. */
const OTHERS = ['dist', 'drivers', 'node_modules', 'scripts', 'src', 'test'];

/** The data, and the pages about it. */
function filesOf(folder) {
  let entries;
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
  return entries
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (!entry.isDirectory()) return [path];
      return OTHERS.includes(entry.name) ? [] : filesOf(path);
    });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url));
  const problems = lintConformance(folder);
  for (const problem of problems) console.error(problem);
  console.log(`${problems.length} problems`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
