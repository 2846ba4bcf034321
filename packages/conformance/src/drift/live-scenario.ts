import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { InvalidOptionError } from 'claudewire';
import { isJsonObject, type JsonObject, parseJsonObject } from '../util/json.js';

/** One run of a real CLI: how it is started, what the model answers, what is written to it and when. */
export interface LiveScenario {
  readonly name: string;
  readonly about: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Turns of the loopback Messages API. */
  readonly turns: readonly unknown[];
  readonly script: readonly LiveStep[];
  /** The frames come in no fixed order: only how many of each kind there are is compared. */
  readonly isUnordered?: boolean;
}

export type LiveStep =
  | { readonly write: JsonObject }
  /** Written as it is. */
  | { readonly line: string }
  /** Waits for the next frame that has at least these fields. */
  | { readonly until: JsonObject }
  /** Answers the oldest open request of this subtype (and MCP method); `"$id"` becomes the id of its JSON-RPC message. */
  | { readonly answer: string; readonly method?: string; readonly response: JsonObject }
  | { readonly signal: NodeJS.Signals }
  /** Ends stdin. */
  | { readonly end: true };

/** Files beside the scenarios. */
const OTHERS = new Set(['shapes.json', 'explained.json']);
const STEPS = ['write', 'line', 'until', 'answer', 'signal', 'end'];

/**
 * Reads the live scenarios of a folder, by name.
 *
 * @throws InvalidOptionError a file is none; the message names it and the field.
 */
export function readLiveScenarios(folder: string): readonly LiveScenario[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json') && !OTHERS.has(file))
    .sort()
    .map((file) => checked(readFileSync(join(folder, file), 'utf8'), join(folder, file)));
}

function checked(text: string, file: string): LiveScenario {
  const value = parseJsonObject(text);
  const fail = (why: string): never => {
    throw new InvalidOptionError('live', `${file}: ${why}`);
  };
  if (value === undefined) return fail('expected one JSON object');
  if (typeof value.name !== 'string') fail('expected "name" to be a string');
  for (const field of ['args', 'turns', 'script']) {
    if (!Array.isArray(value[field])) fail(`expected "${field}" to be a list`);
  }
  const bad = (value.script as unknown[]).findIndex(
    (step) => !isJsonObject(step) || !STEPS.some((kind) => kind in step),
  );
  if (bad !== -1) fail(`script[${bad}]: expected one of ${STEPS.join(', ')}`);
  // Every field that is used was checked.
  return value as JsonObject & LiveScenario;
}
