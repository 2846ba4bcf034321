import { describeValue } from '../util/describe-value.js';
import type { DeniedModelsMatch } from './types.js';

/** Words that name a family as a whole. */
const FAMILIES = new Set(['opus', 'sonnet', 'haiku', 'fable']);

/** Words that name another model with each release, so that no entry can stand on one. */
const MOVING = new Set(['default', 'best', 'opusplan']);

/** A name of a model line with a version, `claude-opus-4-1` or `claude-3-5-haiku`, and whatever follows. */
const VERSIONED = /^(?:claude-)?(?:([a-z]+)-(\d{1,2})(?:-(\d{1,2}))?|(\d{1,2})(?:-(\d{1,2}))?-([a-z]+))(?![\w.])(.*)$/;

/** What may follow a version in an entry: a snapshot, `latest`, a cloud provider's revision. */
const SNAPSHOT = /^(?:[-@]\d{8}|-latest)?(?:-v\d+(?::\d+)?)?$/;

interface Version {
  readonly family: string;
  readonly major: number;
  readonly minor: number | undefined;
  /** Snapshot, date, region: not compared. */
  readonly rest: string;
}

/** Whether an entry blocks a model. `name` is without its tag. */
type Entry = (whole: string, name: string) => boolean;

/**
 * Which of `models` a managed `deniedModels` list blocks, by their names alone. An entry is a family (`opus`), a
 * version (`claude-opus-4-1`; `claude-opus-4` is all of 4.x) or else one exact name. Nothing is thrown for odd input:
 * `warnings` tells.
 *
 * The CLI refuses every model that is `true` here. Grant nothing because of a `false`: names are compared as they are
 * written, and the CLI also resolves aliases and custom names.
 */
export async function matchDeniedModels(
  models: readonly string[],
  deniedModels: readonly string[] | undefined,
): Promise<DeniedModelsMatch> {
  const warnings = new Set<string>();
  const warn = (text: string): unknown => warnings.add(text);
  const entries = readEntries(deniedModels, warn);
  const asked: readonly unknown[] = Array.isArray(models) ? models : [];
  if (!Array.isArray(models)) {
    warn(`models must be a list of model names, got ${describeValue(models)}: nothing was compared.`);
  }
  const denied = asked.map((model) => {
    if (typeof model === 'string') {
      const whole = model.trim().toLowerCase();
      const name = withoutTag(whole);
      return entries.some((blocks) => blocks(whole, name));
    }
    warn(`models has an entry that is no model name (${describeValue(model)}): it counts as not denied.`);
    return false;
  });
  return { denied, warnings: [...warnings] };
}

function readEntries(list: unknown, warn: (text: string) => unknown): readonly Entry[] {
  if (list === undefined || list === null) return [];
  if (!Array.isArray(list)) {
    warn(`deniedModels must be a list of model names, got ${describeValue(list)}: it blocks nothing.`);
    return [];
  }
  return list.flatMap((item: unknown): readonly Entry[] => {
    if (typeof item === 'string') return readEntry(item, warn);
    warn(`deniedModels has an entry that is no model name (${describeValue(item)}): it blocks nothing.`);
    return [];
  });
}

function readEntry(item: string, warn: (text: string) => unknown): readonly Entry[] {
  const said = JSON.stringify(item);
  const whole = item.trim().toLowerCase();
  const name = withoutTag(whole);
  if (name === '') {
    warn('deniedModels has an empty entry: it blocks nothing.');
    return [];
  }
  if (MOVING.has(name)) {
    warn(`${said} blocks nothing: which model it names changes with releases and settings. Name the model.`);
    return [];
  }
  const tagged = name === whole ? '' : ' The tag in brackets is not compared.';
  if (FAMILIES.has(name)) {
    if (tagged !== '') warn(`${said} blocks every model of the family "${name}".${tagged}`);
    return [(_whole, asked) => asked === name || isOfFamily(asked, name)];
  }
  const version = versionOf(name);
  const exactly: Entry = (asked) => asked === whole;
  if (version !== undefined && !SNAPSHOT.test(version.rest)) return [exactly];
  if (version !== undefined) {
    const ignored = version.rest === '' ? '' : ` ${JSON.stringify(version.rest)} is not compared.`;
    if (tagged + ignored !== '') {
      warn(`${said} blocks every spelling and snapshot of ${nameOf(version)}.${tagged}${ignored}`);
    }
    return [(_whole, asked) => asked.includes('claude-') && isOfVersion(asked, version)];
  }
  warn(
    `${said} blocks this one name and no other spelling of the model. A version is written with hyphens, as in "claude-opus-4-1".`,
  );
  return [exactly];
}

function isOfVersion(name: string, { family, major, minor }: Version): boolean {
  const version = versionOf(name);
  if (version === undefined || version.family !== family || version.major !== major) return false;
  return minor === undefined || (version.minor ?? 0) === minor;
}

function isOfFamily(name: string, family: string): boolean {
  const start = name.indexOf('claude');
  return start !== -1 && new RegExp(`-${family}(?![a-z0-9])`).test(name.slice(start + 6));
}

/** Cloud providers put a path, a region or their own name in front. */
function versionOf(name: string): Version | undefined {
  const tail = name.slice(name.lastIndexOf('/') + 1).replace(/^(?:[a-z-]+\.)*(?=claude-)/, '');
  const match = VERSIONED.exec(tail);
  if (match === null) return undefined;
  const [, family = match[6], major = match[4], minor = match[5], , , , rest = ''] = match;
  if (family === undefined || major === undefined) return undefined;
  return { family, major: Number(major), minor: minor === undefined ? undefined : Number(minor), rest };
}

function nameOf({ family, major, minor }: Version): string {
  return minor === undefined ? `${family} ${major}.x` : `${family} ${major}.${minor}`;
}

/** `[1m]` and its like say how much context, not which model. */
function withoutTag(name: string): string {
  return name.replace(/(?<!\s)\s*\[[^[\]]*\]$/, '');
}
