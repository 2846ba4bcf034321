import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { execa } from 'execa';
import { isJsonObject, parseJsonObject } from '../util/json.js';
import type { InstalledRelease } from './install-release.js';

/** What a release of an SDK offers: lists of names. */
export interface SdkSurface {
  /** Values. */
  readonly exports: readonly string[];
  /** Types, of TypeScript only. */
  readonly types: readonly string[];
  /** `Type.field`. */
  readonly fields: readonly string[];
  /** Of a run. */
  readonly options: readonly string[];
}

const LIMIT_MS = 60_000;

/** Reads what an installed SDK offers. No CLI is started. */
export async function sdkSurface(release: InstalledRelease, programs: string): Promise<SdkSurface> {
  return release.kind === 'py' ? pythonSurface(release, programs) : typescriptSurface(release);
}

async function typescriptSurface({ path }: InstalledRelease): Promise<SdkSurface> {
  const source = `const m = await import(${JSON.stringify(pathToFileURL(path).href)}); console.log(JSON.stringify(Object.keys(m)))`;
  const { stdout } = await execa(process.execPath, ['--input-type=module', '-e', source], { timeout: LIMIT_MS });
  const folder = dirname(path);
  const declarations = readdirSync(folder)
    .filter((file) => /^(?:sdk|sdkTypes|bridge|browser|core)\.d\.ts$/.test(file))
    .map((file) => readFileSync(join(folder, file), 'utf8'));
  return { exports: (JSON.parse(stdout) as string[]).sort(), ...declaredNames(declarations) };
}

/** Types, their fields and the options, by the declarations as the official build lays them out: a field is four columns in. */
export function declaredNames(declarations: readonly string[]): Pick<SdkSurface, 'types' | 'fields' | 'options'> {
  const types = new Set<string>();
  const fields = new Set<string>();
  for (const declaration of declarations) {
    let type: string | undefined;
    // Some releases have CRLF.
    for (const line of declaration.split('\n').map((each) => each.trimEnd())) {
      const name = /^export (?:declare )?(?:type|interface|class|enum) (\w+)/.exec(line)?.[1];
      if (name !== undefined) types.add(name);
      if (!line.startsWith(' ')) type = line.endsWith('{') ? name : undefined;
      const field = /^ {4}(?:readonly )?(\w+)\??:/.exec(line)?.[1];
      if (type !== undefined && field !== undefined) fields.add(`${type}.${field}`);
    }
  }
  const options = [...fields].flatMap((field) => (field.startsWith('Options.') ? [field.slice(8)] : []));
  return { types: [...types].sort(), fields: [...fields].sort(), options: options.sort() };
}

async function pythonSurface({ path, python = 'python3' }: InstalledRelease, programs: string): Promise<SdkSurface> {
  const { stdout } = await execa(python, ['-B', join(programs, 'session.py'), 'surface'], {
    env: { PYTHONPATH: path },
    timeout: LIMIT_MS,
  });
  const surface = parseJsonObject(stdout.trim().split('\n').at(-1) ?? '')?.surface;
  const list = (name: string): readonly string[] => {
    const value = isJsonObject(surface) ? surface[name] : undefined;
    return Array.isArray(value) ? value.map(String).sort() : [];
  };
  return { exports: list('exports'), types: [], fields: list('fields'), options: list('options') };
}
