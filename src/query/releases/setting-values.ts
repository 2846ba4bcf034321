import { isJsonObject, type JsonObject } from '../../util/json.js';

/** Not bisected: seen to take them, where 2.1.120 did not. */
const NEWER = '2.1.260';

/** Values that not every release takes, other than hooks and permissions. */
export const VALUES: readonly {
  readonly key: string;
  readonly since: string;
  /** It restricts something, so it is not left out. */
  readonly protects: boolean;
  readonly isNew: (value: unknown) => boolean;
}[] = [
  { key: 'forceLoginMethod', since: '2.1.162', protects: true, isNew: (value) => value === 'gateway' },
  { key: 'forceLoginOrgUUID', since: '2.1.89', protects: true, isNew: Array.isArray },
  { key: 'attribution', since: '2.1.281', protects: false, isNew: (value) => typeof value === 'boolean' },
  { key: 'autoUpdatesChannel', since: '2.1.113', protects: false, isNew: (value) => value === 'rc' },
  { key: '$schema', since: NEWER, protects: false, isNew: (value) => value !== SCHEMA },
  { key: 'theme', since: NEWER, protects: false, isNew: (value) => !OLD_THEMES.has(value) },
  { key: 'teammateMode', since: NEWER, protects: false, isNew: (value) => value === 'iterm2' },
  {
    ...{ key: 'spinnerTipsOverride', since: NEWER, protects: false },
    isNew: (value) => isJsonObject(value) && !(Array.isArray(value.tips) && value.tips.every(isText)),
  },
  // Times below a bound, which is not known.
  {
    ...{ key: 'policyHelper', since: NEWER, protects: true },
    isNew: (value) => isJsonObject(value) && [value.timeoutMs, value.refreshIntervalMs].some(isShort),
  },
  { key: 'sandbox', since: NEWER, protects: true, isNew: masksFiles },
  ...['allowedMcpServers', 'deniedMcpServers'].map((key) => ({
    ...{ key, since: NEWER, protects: true },
    isNew: (value: unknown) => Array.isArray(value) && !value.every(namesOneThing),
  })),
  { key: 'extraKnownMarketplaces', since: '2.1.80', protects: false, isNew: hasSource(isNewSource) },
  { key: 'extraKnownMarketplaces', since: '2.1.84', protects: false, isNew: hasSource(isOtherGit) },
  { key: 'extraKnownMarketplaces', since: NEWER, protects: false, isNew: hasSource(isNewerSource) },
  { key: 'extraKnownMarketplaces', since: NEWER, protects: false, isNew: hasOtherName },
  ...['strictKnownMarketplaces', 'blockedMarketplaces'].flatMap((key) => [
    { key, since: '2.1.10', protects: true, isNew: hasSource(({ source }) => source === 'hostPattern') },
    { key, since: '2.1.69', protects: true, isNew: hasSource(({ source }) => source === 'pathPattern') },
    { key, since: '2.1.80', protects: true, isNew: hasSource((each) => isNewSource(each) && !isPattern(each)) },
    { key, since: '2.1.84', protects: true, isNew: hasSource(isOtherGit) },
    { key, since: NEWER, protects: true, isNew: hasSource(isNewerSource) },
  ]),
];

/** Checks the sources in a list, or those of marketplaces by name. */
function hasSource(fits: (source: JsonObject) => boolean): (value: unknown) => boolean {
  return (value) => {
    const sources: readonly unknown[] = Array.isArray(value)
      ? value
      : Object.values(isJsonObject(value) ? value : {}).map((each) => (isJsonObject(each) ? each.source : undefined));
    return sources.some((source) => isJsonObject(source) && fits(source));
  };
}

const OLD_SOURCES: ReadonlySet<unknown> = new Set(['url', 'github', 'git', 'npm', 'file', 'directory']);

function isNewSource({ source }: JsonObject): boolean {
  return typeof source === 'string' && !OLD_SOURCES.has(source);
}

/** Not bisected: 2.1.47 takes only addresses that end in `.git`, and 2.1.84 all. */
function isOtherGit({ source, url }: JsonObject): boolean {
  return source === 'git' && !(typeof url === 'string' && url.endsWith('.git'));
}

function isPattern({ source }: JsonObject): boolean {
  return source === 'hostPattern' || source === 'pathPattern';
}

const NEW_PLUGIN_SOURCES: ReadonlySet<unknown> = new Set(['archive', 'command']);

function isNewerSource({ source, plugins }: JsonObject): boolean {
  const isNew = (plugin: unknown): boolean =>
    isJsonObject(plugin) && isJsonObject(plugin.source) && NEW_PLUGIN_SOURCES.has(plugin.source.source);
  return source === 'skills-dir' || (Array.isArray(plugins) && plugins.some(isNew));
}

/** A marketplace in settings had to have the name of its key. */
function hasOtherName(value: unknown): boolean {
  return Object.entries(isJsonObject(value) ? value : {}).some(
    ([key, each]) =>
      isJsonObject(each) && isJsonObject(each.source) && each.source.source === 'settings' && each.source.name !== key,
  );
}

/** 0 is off. */
function isShort(ms: unknown): boolean {
  return typeof ms === 'number' && ms > 0 && ms < 60_000;
}

function masksFiles(sandbox: unknown): boolean {
  const credentials = isJsonObject(sandbox) && isJsonObject(sandbox.credentials) ? sandbox.credentials : {};
  return (
    Array.isArray(credentials.files) && credentials.files.some((file) => isJsonObject(file) && file.mode === 'mask')
  );
}

const SCHEMA = 'https://json.schemastore.org/claude-code-settings.json';

const OLD_THEMES: ReadonlySet<unknown> = new Set([
  ...['dark', 'light', 'dark-daltonized', 'light-daltonized', 'dark-ansi', 'light-ansi'],
]);

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

/** An entry about a server has one of its three keys. */
function namesOneThing(entry: unknown): boolean {
  const keys = isJsonObject(entry) ? Object.keys(entry) : [];
  return keys.filter((key) => ['serverName', 'serverCommand', 'serverUrl'].includes(key)).length === 1;
}
