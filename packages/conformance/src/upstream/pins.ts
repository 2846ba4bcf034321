import { InvalidOptionError } from 'claudewire';
import { parseRelease, type ReleaseKind } from '../drift/install-release.js';

export type Versions = Readonly<Record<ReleaseKind, string>>;

/** Reads what the repository is held against, out of the files that pin it. */
export function readPins(read: (file: string) => string): Versions {
  const live = dependencies(read('test/live/package.json'));
  const official = dependencies(read('test/parity/official/package.json'));
  const python = /^claude-agent-sdk==(\S+)$/m.exec(read('test/parity/python/requirements.txt'))?.[1];
  return {
    cli: version('claude-code-current', live['claude-code-current']?.split('@').at(-1)),
    ts: version('@anthropic-ai/claude-agent-sdk', official['@anthropic-ai/claude-agent-sdk']),
    py: version('claude-agent-sdk', python),
  };
}

/** Replaces pins: `cli@2.1.280`. */
export function withPins(pins: Versions, given: readonly string[]): Versions {
  const replaced = given.map(parseRelease).map(({ kind, version: number }) => [kind, number] as const);
  return { ...pins, ...Object.fromEntries(replaced) };
}

/** The newest release in what `pip index versions` prints. */
export function newestOnPypi(printed: string): string {
  return version('claude-agent-sdk', /^claude-agent-sdk \(([^)]+)\)/m.exec(printed)?.[1]);
}

function dependencies(text: string): Readonly<Record<string, string>> {
  return JSON.parse(text).dependencies ?? {};
}

function version(name: string, found: string | undefined): string {
  if (found !== undefined && /^\d+\.\d+\.\d+$/.test(found)) return found;
  throw new InvalidOptionError('pin', `no version of ${name} was found, got ${JSON.stringify(found)}`);
}
