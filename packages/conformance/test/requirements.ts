import { readdirSync, readFileSync } from 'node:fs';

export interface Requirement {
  readonly id: string;
  readonly level: string;
  readonly party: 'host' | 'cli';
  readonly text: string;
  readonly source: readonly string[];
  readonly since?: string;
  readonly until?: string;
}

const FOLDER = new URL('../requirements/', import.meta.url);

/** All levels, in the order of their files. */
export function readRequirements(): readonly Requirement[] {
  return readdirSync(FOLDER)
    .sort()
    .map((file) => JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')))
    .flatMap(({ level, requirements }: { level: string; requirements: Omit<Requirement, 'level'>[] }) =>
      requirements.map((one) => ({ ...one, level })),
    );
}
