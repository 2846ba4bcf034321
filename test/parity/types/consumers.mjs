import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compile } from './compile.mjs';

const OFFICIAL = '@anthropic-ai/claude-agent-sdk';
const PROGRAMS = ['query-loop.ts', 'callbacks.ts', 'mcp-instance.ts', 'transport.ts'];
/** What the compiler counts of its own work: the same on a busy machine, where its time is not. */
const WORK = { types: /Types:\s+(\d+)/, instantiations: /Instantiations:\s+(\d+)/ };
/** What importing the package may cost above an empty file, as a share of what the official package costs. */
const MAX_SHARE = 0.25;
/** Ours, Node's, and the compiler's own. */
const OWN_TYPES = /\/node_modules\/(claudewire|@types\/node|undici-types|typescript|@typescript\/[\w-]+|\.check)\//;
/** Programs are compiled as strictly as an application can: declarations are checked, and nothing of the DOM is there. */
const STRICT = { skipLibCheck: false };

/** Programs written for the official package compile with ours, and cost the compiler little. */
export function checkConsumers(context) {
  checkResolution(context);
  withoutOthers(context, checkOwnDeclarations);
  checkPrograms(context);
  checkCost(context);
}

/** A type that the official declarations import and that is not there fits everything, without a word. */
function checkResolution(context) {
  const entries = ['', '/core', '/browser', '/bridge', '/sdk-tools', '/extract'];
  const text = entries
    .map((entry, index) => `import type * as E${index} from '${OFFICIAL}${entry}';`)
    .concat(`export type All = [${entries.map((_, index) => `keyof typeof E${index}`).join()}];`)
    .join('\n');
  const { errors } = compile(context, 'resolution', new Map([['all.ts', text]]), STRICT);
  const unresolved = errors.filter(({ file }) => file.includes('@anthropic-ai'));
  context.report(
    'the official declarations are complete',
    unresolved.length === 0 ? undefined : unresolved.map(({ text: line }) => line).join('\n'),
  );
}

/** Calls with a place where only our package and Node's types are installed. */
function withoutOthers(context, check) {
  const suite = mkdtempSync(join(tmpdir(), 'claudewire-types-'));
  const packages = join(context.suite, 'node_modules');
  cpSync(join(packages, 'claudewire'), join(suite, 'node_modules', 'claudewire'), { recursive: true });
  for (const name of ['@types', 'undici-types']) {
    cpSync(join(packages, name), join(suite, 'node_modules', name), { recursive: true });
  }
  try {
    check({ ...context, suite });
  } finally {
    rmSync(suite, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Ours stand alone: every entry compiles without skipLibCheck and the DOM, and reads no package's types but Node's. */
function checkOwnDeclarations(context) {
  const { exports } = JSON.parse(
    readFileSync(join(context.suite, 'node_modules', 'claudewire', 'package.json'), 'utf8'),
  );
  const entries = Object.keys(exports).filter((entry) => exports[entry].types !== undefined);
  const text = entries
    .map((entry, index) => `import type * as E${index} from 'claudewire${entry.slice(1)}';`)
    .concat(`export type All = [${entries.map((_, index) => `keyof typeof E${index}`).join()}];`)
    .join('\n');
  const { errors, stdout } = compile(context, 'own', new Map([['all.ts', text]]), STRICT, ['--listFiles']);
  context.report(
    `the declarations of ${entries.length} entries`,
    errors.length === 0 ? undefined : errors.map(({ file, line, text: said }) => `${file}:${line} ${said}`).join('\n'),
  );
  const strangers = stdout
    .split('\n')
    .map((line) => line.replaceAll('\\', '/'))
    .filter((line) => /\/node_modules\//.test(line) && !OWN_TYPES.test(line));
  context.report('whose types ours read', strangers.length === 0 ? undefined : strangers.join('\n'));
}

function checkPrograms(context) {
  const modes = [
    { module: 'esnext', moduleResolution: 'bundler' },
    { module: 'node16', moduleResolution: 'node16' },
    { module: 'nodenext', moduleResolution: 'nodenext' },
  ].flatMap((mode) => [
    { ...mode, exactOptionalPropertyTypes: true },
    { ...mode, exactOptionalPropertyTypes: false },
  ]);
  for (const mode of modes) {
    const { errors } = compile(context, 'programs', programs(context, 'claudewire'), { ...STRICT, ...mode });
    // The MCP SDK, which zod programs install beside us, needs a type of the DOM; it is not ours to mend.
    const ours = errors.filter(({ file }) => !file.includes('@modelcontextprotocol'));
    context.report(
      `programs with ${mode.moduleResolution}, exactOptionalPropertyTypes ${mode.exactOptionalPropertyTypes}`,
      ours.length === 0 ? undefined : ours.map(({ file, line, text }) => `${file}:${line} ${text}`).join('\n'),
    );
  }
  // Otherwise a program that compiles with neither would say nothing.
  const { errors } = compile(context, 'programs-official', programs(context, OFFICIAL));
  const theirs = errors.filter(({ file }) => PROGRAMS.includes(file));
  context.report(
    'the same programs with the official package',
    theirs.length === 0 ? undefined : theirs.map(({ text }) => text).join('\n'),
  );
}

function programs({ suite }, specifier) {
  return new Map(
    PROGRAMS.map((name) => [name, readFileSync(join(suite, 'programs', name), 'utf8').replaceAll(OFFICIAL, specifier)]),
  );
}

function checkCost(context) {
  const loop = (specifier) => programs(context, specifier).get('query-loop.ts');
  const empty = measure(context, 'export {};\n');
  const rows = {
    claudewire: above(measure(context, loop('claudewire')), empty),
    [OFFICIAL]: above(measure(context, loop(OFFICIAL)), empty),
  };
  console.log('  what importing costs the type checker, above an empty file:');
  console.table(rows);
  const shares = Object.keys(WORK).map((unit) => [unit, rows.claudewire[unit] / rows[OFFICIAL][unit]]);
  const worse = shares.filter(([, share]) => !(share <= MAX_SHARE));
  context.report(
    'the cost of importing',
    worse.length === 0
      ? undefined
      : `${worse.map(([unit, share]) => `${share.toFixed(2)} of the official package's ${unit}`).join(', ')}, more than ${MAX_SHARE}`,
  );
}

/** Seconds and megabytes are printed for the reader and judge nothing. */
function measure(context, text) {
  const { stdout } = compile(context, 'cost', new Map([['program.ts', text]]), STRICT, ['--extendedDiagnostics']);
  return {
    ...Object.fromEntries(Object.entries(WORK).map(([unit, pattern]) => [unit, figure(stdout, pattern)])),
    seconds: figure(stdout, /Total time:\s+([\d.]+)s/),
    megabytes: figure(stdout, /Memory used:\s+(\d+)K/) / 1024,
  };
}

function above(program, empty) {
  return Object.fromEntries(
    Object.keys(program).map((unit) => [unit, Number((program[unit] - empty[unit]).toFixed(2))]),
  );
}

function figure(stdout, pattern) {
  const found = pattern.exec(stdout);
  if (found === null) throw new Error(`tsc did not print ${pattern}`);
  return Number(found[1]);
}
