import { win32 } from 'node:path';
import { type CommandHost, environmentVariable, type FileProbe, pathRules } from './command-host.js';

/** The first hit of a search, and every place that was searched. */
export interface SearchResult {
  readonly found: string | undefined;
  readonly searched: readonly string[];
}

/** What POSIX systems search if the environment has no PATH. */
const DEFAULT_POSIX_PATH = '/usr/bin:/bin';

const NATIVE_EXTENSIONS = ['.exe', '.com'];

/**
 * Looks for Claude Code where its installers put it: the npm packages with the binary, the PATH of the child's
 * environment, the known install places. The first hit wins.
 */
export function discoverClaude(host: CommandHost): SearchResult {
  const packages = searchPackages(host);
  if (packages.found !== undefined) return packages;
  const inPath = searchPath('claude', host);
  if (inPath.found !== undefined) return inPath;
  const places = searchInstallPlaces(host);
  if (places.found !== undefined) return places;
  const onPath = new Set(inPath.searched);
  return {
    found: undefined,
    searched: [
      ...packages.searched,
      ...[...onPath].map((place) => `${place} (PATH)`),
      ...places.searched.filter((place) => !onPath.has(place)),
    ],
  };
}

/**
 * Looks a bare name up in the PATH of the child's environment. On Windows a native executable anywhere on it is
 * preferred to a shim (PY-012), and the result for a shim is the program behind it.
 * @returns `hasSkipped`: there are entries in which it was not looked, though the system would.
 */
export function searchPath(name: string, host: CommandHost): SearchResult & { readonly hasSkipped: boolean } {
  const path = pathRules(host);
  const isWindows = host.platform === 'win32';
  const value = environmentVariable(host, 'PATH') ?? (isWindows ? '' : DEFAULT_POSIX_PATH);
  // An empty entry means the working directory, and others may be relative to it. Running programs from there is not
  // safe (PY-363): it is often a repository of somebody else.
  const entries = value.split(path.delimiter);
  const directories = entries.filter((entry) => path.isAbsolute(entry));
  const searched = directories.map((directory) => path.join(directory, name));
  const found = isWindows
    ? findOnWindows(searched, host)
    : searched.find((candidate) => host.files.isExecutable(candidate));
  return { found, searched, hasSkipped: directories.length < entries.length };
}

function findOnWindows(candidates: readonly string[], { files }: CommandHost): string | undefined {
  const native = candidates
    .flatMap((candidate) =>
      hasExtension(candidate, NATIVE_EXTENSIONS)
        ? [candidate]
        : NATIVE_EXTENSIONS.map((extension) => candidate + extension),
    )
    .find((candidate) => files.isFile(candidate));
  if (native !== undefined) return native;
  for (const candidate of candidates) {
    const shim = isBatchScript(candidate) ? candidate : `${candidate}.cmd`;
    const target = files.isFile(shim) ? resolveShim(shim, files) : undefined;
    if (target !== undefined) return target;
  }
  return undefined;
}

/** In the order of the Python SDK (PY-004). Takes any regular file: the start reports what is wrong with it. */
function searchInstallPlaces(host: CommandHost): SearchResult {
  const path = pathRules(host);
  const isWindows = host.platform === 'win32';
  const home = environmentVariable(host, isWindows ? 'USERPROFILE' : 'HOME') || host.homeDirectory;
  const searched = isWindows
    ? [path.join(home, '.local', 'bin', 'claude.exe')]
    : [
        path.join(home, '.npm-global/bin/claude'),
        '/usr/local/bin/claude',
        path.join(home, '.local/bin/claude'),
        path.join(home, 'node_modules/.bin/claude'),
        path.join(home, '.yarn/bin/claude'),
        path.join(home, '.claude/local/claude'),
      ];
  return { found: searched.find((candidate) => host.files.isFile(candidate)), searched };
}

/** Package managers may nest a platform package below its dependent, or link it (pnpm). */
function searchPackages(host: CommandHost): SearchResult {
  const roots = [...host.packageRoots];
  for (const parent of ['@anthropic-ai/claude-agent-sdk', '@anthropic-ai/claude-code']) {
    const directory = findPackage(parent, host.packageRoots, host);
    if (directory !== undefined) roots.push(host.files.realPath(directory));
  }
  const names = [...platformPackages(host), '@anthropic-ai/claude-code'];
  for (const name of names) {
    const directory = findPackage(name, roots, host);
    const found = directory === undefined ? undefined : binaryOf(directory, host);
    if (found !== undefined) return { found, searched: [] };
  }
  const from = [...new Set(host.packageRoots)].join(' and ');
  return { found: undefined, searched: [`npm packages ${names.join(', ')} (from ${from})`] };
}

function platformPackages(host: CommandHost): string[] {
  const target = `${host.platform}-${host.arch}`;
  const targets = host.platform === 'linux' ? linuxTargets(target, host) : [target];
  return ['@anthropic-ai/claude-agent-sdk', '@anthropic-ai/claude-code'].flatMap((prefix) =>
    targets.map((suffix) => `${prefix}-${suffix}`),
  );
}

/** The packages for both C libraries may be installed. The one whose loader exists comes first. */
function linuxTargets(target: string, host: CommandHost): string[] {
  const machine = host.arch === 'arm64' ? 'aarch64' : 'x86_64';
  const hasMusl = host.files.exists(`/lib/ld-musl-${machine}.so.1`);
  const hasGlibc = host.files.exists('/lib64/ld-linux-x86-64.so.2') || host.files.exists('/lib/ld-linux-aarch64.so.1');
  return hasMusl && !hasGlibc ? [`${target}-musl`, target] : [target, `${target}-musl`];
}

/** The executable in a package: that of a platform package, or the `claude` command of the one that people install. */
export function binaryOf(directory: string, host: CommandHost): string | undefined {
  const path = pathRules(host);
  const native = path.join(directory, host.platform === 'win32' ? 'claude.exe' : 'claude');
  if (host.files.isFile(native)) return native;
  let manifest: unknown;
  try {
    manifest = JSON.parse(host.files.readText(path.join(directory, 'package.json')) ?? '');
  } catch {
    return undefined;
  }
  // The cast does not promise values: each is checked where it is used.
  const bin = (manifest as { readonly bin?: { readonly claude?: unknown } } | null)?.bin?.claude;
  const file = path.join(directory, typeof bin === 'string' ? bin : '');
  return file.startsWith(path.join(directory, path.sep)) && host.files.isFile(file) ? file : undefined;
}

function findPackage(name: string, roots: readonly string[], host: CommandHost): string | undefined {
  const path = pathRules(host);
  for (const root of roots) {
    let directory = path.resolve(root);
    for (;;) {
      const candidate = path.join(directory, 'node_modules', name);
      if (host.files.exists(candidate)) return candidate;
      const parent = path.dirname(directory);
      if (parent === directory) break;
      directory = parent;
    }
  }
  return undefined;
}

function hasExtension(path: string, extensions: readonly string[]): boolean {
  const lower = path.toLowerCase();
  return extensions.some((extension) => lower.endsWith(extension));
}

/**
 * True when Windows would run the path through `cmd.exe`, in any spelling: it strips trailing dots and spaces and
 * ignores what follows a colon (an NTFS stream). Every component counts (PY-011).
 */
export function isBatchScript(path: string): boolean {
  return path
    .split(/[\\/:]/)
    .map((piece) => piece.replace(/(?<![. ])[. ]+$/, ''))
    .some((piece) => /\.(?:bat|cmd)$/i.test(piece));
}

/**
 * The program behind a `.cmd` shim as npm, pnpm and yarn write them: a line that ends in `%*` and names the target
 * relative to the shim's own directory (`"%dp0%\node_modules\...\cli.js" %*`).
 * @returns the target's path, when it exists; `undefined` for any other batch file.
 */
export function resolveShim(shim: string, files: FileProbe): string | undefined {
  const text = files.readText(shim);
  if (text === undefined) return undefined;
  const directory = win32.dirname(shim);
  for (const line of text.split(/\r?\n/)) {
    if (!line.trimEnd().endsWith('%*')) continue;
    // The last quoted path is the program; the one before it, when there is one, is Node.
    const target = [...line.matchAll(/"%(?:~dp0|dp0%)\\?([^"%]+)"/g)].at(-1)?.[1];
    if (target === undefined) continue;
    const path = win32.resolve(directory, target);
    if (!isBatchScript(path) && files.isFile(path)) return path;
  }
  return undefined;
}
