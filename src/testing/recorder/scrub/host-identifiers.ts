import { realpathSync } from 'node:fs';
import { homedir, hostname, tmpdir, userInfo } from 'node:os';
import { isCount, isSecretName, placeholder, type Replacement } from './rules.js';

/** A text that is known to be in need of scrubbing. */
export interface Known extends Replacement {
  readonly found: string;
  /** Only as a whole word. */
  readonly isWord?: boolean;
  /** Only as the name of a folder in `projects/`. */
  readonly isProject?: boolean;
}

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Further texts to hide. */
  readonly texts?: readonly string[];
}

const SHORTEST_SECRET = 6;
const SHORTEST_LINE = 16;
/** A dashed folder name this long is no accident anywhere; a shorter one counts in `projects/` only. */
const LONG_DASHED = 10;
/** Names of accounts that say nothing about a person, and words of the protocol. */
const COMMON_NAMES = new Set(
  'root user node admin runner ubuntu debian test claude app developer dev build system assistant vagrant ec2-user nobody localhost'.split(
    ' ',
  ),
);

/** What this machine, this user and this environment would tell. */
export function knownTexts({ env, cwd, texts = [] }: Surroundings): readonly Known[] {
  const variables = Object.entries(env).flatMap(([name, value]) =>
    value === undefined ? [] : isSecretName(name) ? valuesOf(name, value) : passwordIn(name, value),
  );
  return [
    ...texts.filter((found) => found !== '').map((found) => known(found, 'given-text')),
    ...variables,
    ...paths(env, cwd),
    ...names(env),
  ];
}

export function known(found: string, kind: string): Known {
  return { found, kind, text: placeholder(kind) };
}

/** A variable's value, digits only as a word of their own; of a list of headers the value of each. */
function valuesOf(name: string, value: string): Known[] {
  const values = name.includes('HEADERS')
    ? value.split('\n').map((line) => line.slice(line.indexOf(':') + 1).trim())
    : [value.trim(), ...linesOf(value)];
  return values
    .filter((each) => each.length >= SHORTEST_SECRET && !(isCount(name, each) && /^\d+$/.test(each)))
    .map((each) => ({ ...known(each, `env-${name}`), isWord: /^\d+$/.test(each) }));
}

/** Each line of several, as a listing shows them apart. The first and the last of a key are no secret. */
function linesOf(value: string): string[] {
  const lines = value.split(/[\r\n]/).map((line) => line.trim());
  return lines.filter((line) => line.length >= SHORTEST_LINE && !line.startsWith('-----'));
}

/** The password in an address such as `postgres://user:password@host`. */
function passwordIn(name: string, value: string): Known[] {
  const [, password = ''] = /^[a-z][\w+.-]{1,30}:\/\/[^\s/?#:@]*:([^\s@]{6,256})@/i.exec(value) ?? [];
  return password === '' ? [] : [...new Set([password, decoded(password)])].map((each) => known(each, `env-${name}`));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function paths(env: Surroundings['env'], cwd: string): Known[] {
  const folders: [string | undefined, string][] = [
    [cwd, 'work-dir'],
    [env.PWD, 'work-dir'],
    [env.CLAUDE_CONFIG_DIR, 'config-dir'],
    [env.HOME, 'home-dir'],
    [homedir(), 'home-dir'],
    [env.TMPDIR, 'tmp-dir'],
    [tmpdir(), 'tmp-dir'],
  ];
  return folders.flatMap(([folder, name]) =>
    [...new Set([folder, folder && orNothing(() => realpathSync(folder))])].flatMap((path) => pathForms(path, name)),
  );
}

function pathForms(path: string | undefined, name: string): Known[] {
  const folder = path?.replace(/(?<![\\/])[\\/]+$/, '');
  if (folder === undefined || folder.length < 2) return [];
  const dashed = folder.replace(/[^A-Za-z0-9]/g, '-');
  const isLong = dashed.length >= LONG_DASHED;
  return [
    { found: folder, kind: `path-${name}`, text: `/${name}` },
    { found: dashed, kind: `path-${name}`, text: `-${name}`, ...(isLong ? {} : { isProject: true }) },
  ];
}

function names(env: Surroundings['env']): Known[] {
  const users = [env.USER, env.LOGNAME, orNothing(() => userInfo().username)];
  const hosts = [hostname(), hostname().split('.')[0]];
  const say = (list: readonly (string | undefined)[], kind: string): Known[] =>
    [...new Set(list)]
      .filter((found) => found !== undefined && found.length > 2 && !COMMON_NAMES.has(found))
      .map((found) => ({ found: String(found), kind, text: kind, isWord: true }));
  return [...say(users, 'user-name'), ...say(hosts, 'host-name')];
}

/** There may be no such folder, and no name of this user id. */
function orNothing(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
