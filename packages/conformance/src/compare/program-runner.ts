import { existsSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { InvalidOptionError } from 'claudewire';
import { execa } from 'execa';

export type Language = 'python' | 'javascript';

/** How one of the two programs is started. */
export interface ProgramRunner {
  readonly file: string;
  /** How the report calls it. */
  readonly name: string;
  readonly language: Language;
  /** What runs it, for the report: `Python 3.12.1`. */
  readonly runtime: string;
  readonly command: string;
  /** Arguments before those of the program; `standIn` is loaded first. */
  args(standIn: string): readonly string[];
}

export interface FindRunnerOptions {
  /** The interpreter for Python programs. @defaultValue the virtual environment of the shell or of the program, else `python3` */
  readonly python?: string | undefined;
  readonly signal: AbortSignal;
}

const PYTHON = ['.py'];
const TYPESCRIPT = ['.ts', '.mts', '.cts'];
const JAVASCRIPT = ['.js', '.mjs', '.cjs'];
const ASK_TIMEOUT_MS = 20_000;
const ASK_PYTHON = 'import sys; print(*sys.version_info[:3], sep="."); print(sys.executable)';

/**
 * Finds what runs a program.
 * @throws InvalidOptionError there is no such file, or nothing here runs it.
 */
export async function findRunner(given: string, options: FindRunnerOptions): Promise<ProgramRunner> {
  const file = resolve(given);
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) {
    throw new InvalidOptionError('program', `there is no program at ${file}`);
  }
  const kind = extname(file).toLowerCase();
  if (PYTHON.includes(kind)) return pythonRunner(file, options);
  if (TYPESCRIPT.includes(kind) || JAVASCRIPT.includes(kind)) return nodeRunner(file, TYPESCRIPT.includes(kind));
  const known = [...PYTHON, ...TYPESCRIPT, ...JAVASCRIPT].join(', ');
  throw new InvalidOptionError('program', `${given}: expected a file that ends in ${known}`);
}

/** Two programs of one name are told apart by their folders. */
export function nameSides(left: ProgramRunner, right: ProgramRunner): readonly [ProgramRunner, ProgramRunner] {
  if (left.name !== right.name) return [left, right];
  if (left.file === right.file)
    return [
      { ...left, name: `${left.name} (1)` },
      { ...right, name: `${right.name} (2)` },
    ];
  return [
    { ...left, name: left.file },
    { ...right, name: right.file },
  ];
}

async function pythonRunner(file: string, { python, signal }: FindRunnerOptions): Promise<ProgramRunner> {
  const tried: string[] = [];
  const candidates = python === undefined ? pythonsFor(file) : [python];
  for (const command of candidates) {
    const { failed, stdout } = await execa(command, ['-c', ASK_PYTHON], {
      timeout: ASK_TIMEOUT_MS,
      stdin: 'ignore',
      reject: false,
      cancelSignal: signal,
    });
    // What was found may be a shim, which would change the environment.
    const [version = '', interpreter = ''] = failed ? [] : stdout.split('\n').map((line) => line.trim());
    if (/^3\.[\d.]+$/.test(version) && interpreter !== '') {
      const runtime = `Python ${version}`;
      return { file, name: basename(file), language: 'python', runtime, command: interpreter, args: () => [file] };
    }
    tried.push(command);
  }
  throw new InvalidOptionError(
    'python',
    `no Python 3 runs ${basename(file)} (tried ${tried.join(', ')}). Name one: --python PATH`,
  );
}

/** The active environment, then one beside the program or above it, then the PATH. */
function pythonsFor(file: string): readonly string[] {
  const inside = process.platform === 'win32' ? ['Scripts', 'python.exe'] : ['bin', 'python'];
  const active = process.env.VIRTUAL_ENV;
  const environments = [
    ...(active === undefined || active === '' ? [] : [active]),
    ...foldersAbove(file).flatMap((folder) => [join(folder, '.venv'), join(folder, 'venv')]),
  ];
  const found = environments.map((folder) => join(folder, ...inside)).find((each) => existsSync(each));
  return [...(found === undefined ? [] : [found]), 'python3', 'python'];
}

function foldersAbove(file: string): readonly string[] {
  const folder = dirname(file);
  return folder === file ? [] : [folder, ...foldersAbove(folder)];
}

function nodeRunner(file: string, isTypeScript: boolean): ProgramRunner {
  const loader = isTypeScript ? typeScriptLoader(file) : [];
  const load = (standIn: string): readonly string[] => ['--import', pathToFileURL(standIn).href, ...loader, file];
  const via = loader[0] === '--import' ? ', tsx' : '';
  return {
    file,
    name: basename(file),
    language: 'javascript',
    runtime: `Node ${process.versions.node}${via}`,
    command: process.execPath,
    args: load,
  };
}

/** tsx where the project has it; else Node removes the types itself. */
function typeScriptLoader(file: string): readonly string[] {
  const tsx = resolvedFrom(file, 'tsx');
  if (tsx !== undefined) return ['--import', pathToFileURL(tsx).href];
  // In Node since 22.10, and not in the types of older ones: `'strip'`, `'transform'` or `false`.
  if (Reflect.get(process.features, 'typescript')) return [];
  if (process.allowedNodeEnvironmentFlags.has('--experimental-strip-types')) return ['--experimental-strip-types'];
  throw new InvalidOptionError(
    'program',
    `Node ${process.versions.node} cannot run ${basename(file)}: add tsx to the development dependencies of its project, use Node 22.18 or newer, or name the compiled .js file`,
  );
}

function resolvedFrom(file: string, name: string): string | undefined {
  try {
    return createRequire(file).resolve(name);
  } catch {
    return undefined;
  }
}
