/**
 * Judges the reader of declarations over releases of the official TypeScript SDK: each is read by both readers, and so is each
 * step from one release to the next; and over releases of the Python SDK, where a program that imports the package lists its names.
 */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { execaSync } from 'execa';
import { GROUPS, judgeRelease, judgeStep } from './judge.mjs';
import { readWithCompiler } from './second-reader.mjs';

const TYPESCRIPT = ['0.3.260', '0.3.280', '0.3.300', '0.3.319', '0.3.330'];
const PYTHON = ['0.2.143', '0.2.187'];
const LIMIT_MS = 60_000;

/**
 * Prints a line for each release and step, the reason of each failure, and `N passed, N failed`.
 *
 * @param {{code: Record<string, Function>, newest: {ts: string, py: string}, cache: string, programs: string}} given the built
 * modules, and where releases are kept
 * @returns {Promise<boolean>} whether both agree on everything
 */
export async function checkReaders({ code, newest, cache, programs }) {
  const sums = { passed: 0, failed: 0 };
  const report = (line, faults) => {
    sums[faults.length === 0 ? 'passed' : 'failed'] += 1;
    console.log([faults.length === 0 ? line : `FAILED  ${line}`, ...faults.map((fault) => `  ${fault}`)].join('\n'));
  };
  let last;
  for (const version of [...new Set([...TYPESCRIPT, newest.ts])]) {
    const release = await code.installRelease('ts', version, cache);
    const read = readTwice(dirname(release.path), code);
    const { counts, faults } = judgeRelease(read.first, read.second);
    report(`ts@${version}: ${countLine(counts)}`, faults);
    if (last !== undefined) {
      const step = judgeStep(code.compareSurfaces(last.first, read.first), last.second, read.second);
      const { addition, change, removal } = step.counts;
      report(`ts@${last.version} to ${version}: ${addition} new, ${change} changed, ${removal} gone`, step.faults);
    }
    last = { version, ...read };
  }
  for (const version of [...new Set([...PYTHON, newest.py])]) {
    const release = await code.installRelease('py', version, cache);
    const facts = await code.installedSurface(release, programs);
    const { line, faults } = judgePython(facts, importedNames(release, programs));
    report(`py@${version}: ${line}`, faults);
  }
  console.log(`${sums.passed} passed, ${sums.failed} failed`);
  return sums.failed === 0;
}

function readTwice(folder, { declarationFiles, readDeclarations }) {
  const files = declarationFiles(folder).map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));
  return { first: readDeclarations(files), second: readWithCompiler(files) };
}

/** Both counts where they differ. */
function countLine(counts) {
  const parts = Object.keys(GROUPS).map((name) => {
    const [first, second] = counts[name];
    return `${first === second ? first : `${first} and ${second}`} ${name}`;
  });
  return parts.join(', ');
}

/** What the package says once it is imported. */
function importedNames({ path, python }, programs) {
  const { stdout } = execaSync(python, ['-B', join(programs, 'session.py'), 'surface'], {
    env: { PYTHONPATH: path },
    timeout: LIMIT_MS,
  });
  return JSON.parse(stdout.trim().split('\n').at(-1)).surface;
}

function judgePython(facts, imported) {
  const exported = facts.flatMap(({ path }) => /^claude_agent_sdk exports (\w+)$/.exec(path)?.[1] ?? []);
  const fieldsOf = ownFields(facts);
  const bases = basesOf(facts);
  const isTyped = (name) => name === 'TypedDict' || (bases.get(name) ?? []).some(isTyped);
  // The keys of a TypedDict are those of its bases too, once it is imported.
  const all = (name) => [...(fieldsOf.get(name) ?? []), ...(isTyped(name) ? (bases.get(name) ?? []).flatMap(all) : [])];
  const fields = exported.flatMap((name) => [...new Set(all(name))].map((field) => `${name}.${field}`));
  const parameters = facts.flatMap(({ kind, path }) => {
    const [, name, parameter] = /^(\w+)\((\w+)\)$/.exec(path) ?? [];
    return kind === 'parameter' && exported.includes(name) ? [`${name}.${parameter}`] : [];
  });
  const own = {
    exports: exported,
    fields: [...fields, ...parameters],
    options: fieldsOf.get('ClaudeAgentOptions') ?? [],
  };
  const faults = Object.entries(own).flatMap(([name, list]) => {
    const left = (a, b) => a.filter((each) => !b.includes(each));
    // What a function returns is an annotation too.
    const others = imported[name].filter((each) => !each.endsWith('.return'));
    const [read, other] = [left(list, others), left(others, list)];
    const isSame = read.length + other.length === 0;
    return isSame ? [] : [`${name}: only read: ${read.join(', ')}; only imported: ${other.join(', ')}`];
  });
  const counts = [`${own.options.length} options`, `${fields.length} fields`, `${parameters.length} parameters`];
  return { line: `${counts.join(', ')}, ${exported.length} exports`, faults };
}

/** Without properties: those are no annotations. */
function ownFields(facts) {
  const fields = new Map();
  for (const { kind, path, marks } of facts) {
    const [, name, field] = /^(\w+)\.(\w+)$/.exec(path) ?? [];
    if (kind !== 'field' || name === undefined || marks.includes('readonly')) continue;
    fields.set(name, [...(fields.get(name) ?? []), field]);
  }
  return fields;
}

function basesOf(facts) {
  const classes = facts.filter(({ kind }) => kind === 'class');
  return new Map(classes.map(({ path, type }) => [path, (/\(([^()]*)\)$/.exec(type)?.[1] ?? '').split(', ')]));
}
