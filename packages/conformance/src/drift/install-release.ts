import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { InvalidOptionError } from 'claudewire';
import { execa } from 'execa';
import { assertPublished, PACKAGES, type ReleaseKind } from './published-releases.js';

export type { ReleaseKind } from './published-releases.js';

export interface InstalledRelease {
  readonly kind: ReleaseKind;
  readonly version: string;
  /** `cli`: the executable. `ts`: the entry of the package. `py`: the folder for `PYTHONPATH`. */
  readonly path: string;
  /** `py`: the interpreter that has what the SDK needs. */
  readonly python?: string;
}

const INSTALL_LIMIT_MS = 300_000;
/** The last release of the CLI that is a script; a platform package carries the binary of the later ones. */
const LAST_SCRIPT = [2, 1, 112];
const { cli: CLI, ts: SDK, py: PYTHON_SDK } = PACKAGES;

/**
 * Installs one release below `cache`, without running its install scripts, and without the CLI that an SDK carries. A release
 * that is there is taken as it is.
 *
 * @throws InvalidOptionError there is no such release, with the newest ones; or it cannot be installed, with the last line of
 * npm or pip.
 */
export async function installRelease(kind: ReleaseKind, version: string, cache: string): Promise<InstalledRelease> {
  try {
    return await { cli: installCli, ts: installTypescript, py: installPython }[kind](version, join(cache, kind));
  } catch (error) {
    await assertPublished(kind, version);
    throw error;
  }
}

async function installCli(version: string, cache: string): Promise<InstalledRelease> {
  const folder = join(cache, version);
  const isScript = compareVersions(version, LAST_SCRIPT.join('.')) <= 0;
  const name = isScript ? CLI : `${CLI}-${platformName()}`;
  const file = isScript ? 'cli.js' : process.platform === 'win32' ? 'claude.exe' : 'claude';
  const path = join(folder, 'node_modules', name, file);
  if (!existsSync(path)) await npmInstall(folder, `${name}@${version}`);
  if (!existsSync(path)) throw new InvalidOptionError('release', `${name}@${version} has no ${file}`);
  return { kind: 'cli', version, path };
}

async function installTypescript(version: string, cache: string): Promise<InstalledRelease> {
  const folder = join(cache, version);
  const path = join(folder, 'node_modules', SDK, 'sdk.mjs');
  if (!existsSync(path)) {
    // The first releases work with zod 3 and do not say so.
    const more = version.startsWith('0.1.') ? ['zod@^3.25'] : [];
    await npmInstall(folder, `${SDK}@${version}`, ...more);
    for (const carried of ['cli.js', 'vendor']) {
      rmSync(join(folder, 'node_modules', SDK, carried), { recursive: true, force: true });
    }
  }
  return { kind: 'ts', version, path };
}

async function installPython(version: string, cache: string): Promise<InstalledRelease> {
  const path = join(cache, version);
  // 0.2.140 is the first release that works with mcp 2; before 0.2.96 nothing kept it out.
  const mcp = compareVersions(version, '0.2.140') < 0 ? 'mcp<2' : 'mcp>=2';
  const home = join(cache, mcp === 'mcp<2' ? 'mcp-1' : 'mcp-2');
  const python = process.platform === 'win32' ? join(home, 'Scripts', 'python.exe') : join(home, 'bin', 'python');
  if (!existsSync(python)) {
    await run('python3', ['-m', 'venv', home]);
    await run(python, [...PIP_INSTALL, mcp, 'anyio', 'typing_extensions', 'sniffio', 'jsonschema']);
  }
  if (!existsSync(path)) {
    await run(python, [...PIP_INSTALL, '--no-deps', '--target', path, `${PYTHON_SDK}==${version}`]);
    rmSync(join(path, 'claude_agent_sdk', '_bundled'), { recursive: true, force: true });
  }
  return { kind: 'py', version, path, python };
}

const PIP_INSTALL = ['-m', 'pip', 'install', '--quiet', '--no-input', '--disable-pip-version-check'];

async function npmInstall(folder: string, ...packages: readonly string[]): Promise<void> {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const flags = ['--ignore-scripts', '--omit=optional', '--no-audit', '--no-fund', '--silent'];
  await run('npm', ['install', ...flags, ...packages], folder);
}

async function run(command: string, args: readonly string[], cwd?: string): Promise<void> {
  const { failed, stderr, stdout, shortMessage } = await execa(command, args, {
    ...(cwd === undefined ? {} : { cwd }),
    stdin: 'ignore',
    timeout: INSTALL_LIMIT_MS,
    reject: false,
  });
  if (!failed) return;
  const said = `${stdout}\n${stderr}`.trim().split('\n').at(-1);
  throw new InvalidOptionError('release', `${args.at(-1)} cannot be installed: ${said || shortMessage}`);
}

/** Below 0, 0, or above: numbers between dots, compared as numbers. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => text.split('.').map(Number));
  for (let index = 0; index < 3; index += 1) {
    const difference = (left?.[index] ?? 0) - (right?.[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** As in the names of the platform packages: `linux-x64`, `linux-arm64-musl`. */
function platformName(): string {
  const report = process.report.getReport() as { readonly header?: { readonly glibcVersionRuntime?: string } };
  const isMusl = process.platform === 'linux' && report.header?.glibcVersionRuntime === undefined;
  return `${process.platform}-${process.arch}${isMusl ? '-musl' : ''}`;
}

/**
 * `ts@0.3.330`, `py@0.2.187`, `cli@2.1.330`, or a number alone: the CLI counts from 2, the TypeScript SDK from 0.
 *
 * @throws InvalidOptionError it is none of these.
 */
export function parseRelease(text: string): { readonly kind: ReleaseKind; readonly version: string } {
  const [, kind, version] = /^(?:(cli|ts|py)@)?(\d+\.\d+\.\d+)$/.exec(text) ?? [];
  if (version === undefined) {
    throw new InvalidOptionError(
      'release',
      `expected a version, such as 2.1.330, ts@0.3.330 or py@0.2.187, or the path of a CLI, got ${JSON.stringify(text)}`,
    );
  }
  return { kind: (kind as ReleaseKind | undefined) ?? (version.startsWith('0.') ? 'ts' : 'cli'), version };
}
