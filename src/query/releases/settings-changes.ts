import { isFromRelease } from '../../util/cli-versions.js';

/** What a release does not take of settings: collected while they are looked through. */
export class SettingsChanges {
  /** What was left out, as paths and rules. */
  readonly leftOut: string[] = [];
  /** The first thing that protects and cannot be given in another way, with the release that it needs. */
  refused: { readonly option: string; readonly since: string } | undefined;
  readonly release: string;

  constructor(release: string) {
    this.release = release;
  }

  /** Whether the release is this one or later. */
  has(since: string): boolean {
    return isFromRelease(this.release, since);
  }

  refuse(option: string, since: string): void {
    this.refused ??= { option: `settings.${option}`, since };
  }
}

/** The same list or object where nothing in it has changed. */
export function unlessSame<T extends object>(given: T, changed: T): T {
  const [before, after] = [Object.entries(given), Object.entries(changed)];
  const isSame =
    before.length === after.length &&
    after.every(([key, value], at) => {
      const [earlier, old] = before[at] ?? [];
      return earlier === key && old === value;
    });
  return isSame ? given : changed;
}
