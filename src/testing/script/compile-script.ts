import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { invalidArgument, invalidOption, isPath } from '../../errors/usage-errors.js';
import { InvalidOptionError } from '../../errors.js';
import { codeOf } from '../../util/error-code.js';
import { errorText } from '../../util/error-text.js';
import { isJsonObject, type JsonObject, omitUndefined, parseJsonObject } from '../../util/json.js';
import type { ConversionOptions } from '../conversion/conversion-options.js';
import { convertRecording } from '../conversion/convert-recording.js';
import { readRecording } from '../conversion/recording.js';
import { createFrames, type Frames } from '../frames/create-frames.js';
import type { SessionFacts } from '../frames/session.js';
import { verbatim } from '../player/patterns.js';
import { cliSections } from '../scenario/lanes.js';
import { parseScenario, scenarioOf } from '../scenario/parse-scenario.js';
import type { CliStep, Scenario, ScenarioHeader } from '../scenario/scenario-types.js';
import { jsonLoss } from './json-loss.js';
import {
  describeItem,
  type ExpectedPrompt,
  isMade,
  type PromptExpectation,
  type ScriptItem,
  type SentFrame,
} from './script-item.js';

/** A list of items, the path of a scenario file or of a recording, or a function that makes the items of builders. */
export type Script = readonly ScriptItem[] | string | URL | ((frames: Frames) => ScriptItem | readonly ScriptItem[]);

/** Below the usual time-out of a test, so that the script's own words are what fails. */
const STEP_TIMEOUT_MS = 4_000;
const SCRIPT_HEADER = { scenario: 'script', unclaimed: 'fail', stepTimeoutMs: STEP_TIMEOUT_MS } as const;

interface CompileOptions {
  /** Every process plays the whole script. */
  readonly reuse: boolean;
  readonly header: Partial<Omit<ScenarioHeader, 'version'>>;
  /** Of the builders that a script function gets. */
  readonly session?: SessionFacts | undefined;
  /** Of a recording. */
  readonly conversion?: ConversionOptions;
}

export interface CompiledScript {
  readonly scenario: Scenario;
  readonly reuse: boolean;
  /** What each section's prompts must be, in order. */
  readonly prompts: readonly (readonly ExpectedPromptAt[])[];
  /** The CLI's control requests whose ids are known, so that answers can be told apart. */
  readonly requests: ReadonlyMap<string, JsonObject>;
}

/** What a prompt must be, and the item that says so. */
export interface ExpectedPromptAt {
  readonly expected: PromptExpectation;
  readonly place: string;
}

/** @throws ScenarioError a step cannot be played, or the file cannot. */
export function compileScript(script: Script, options: CompileOptions): CompiledScript {
  if (typeof script === 'string' || script instanceof URL) return compileFile(script, options);
  const items = typeof script === 'function' ? script(createFrames(factsIn(options.session))) : script;
  if (items instanceof Promise) {
    throw new InvalidOptionError('script', 'The script function must return items, got a promise.');
  }
  const sections = splitSections(flatten(items), options.reuse);
  const steps = sections.flatMap((section) => section.steps);
  const places = sections.flatMap((section) => section.places);
  return {
    scenario: scenarioOf(steps, { ...SCRIPT_HEADER, ...options.header, places }),
    reuse: options.reuse,
    prompts: sections.map(({ prompts }) => prompts),
    requests: requestsOf(sections.flatMap(({ frames }) => frames)),
  };
}

/** Among other options of the scripted CLI. */
function factsIn({ sessionId, model, cwd, cliVersion }: SessionFacts = {}): SessionFacts {
  return omitUndefined({ sessionId, model, cwd, cliVersion });
}

function compileFile(file: string | URL, { reuse, header, conversion }: CompileOptions): CompiledScript {
  if (!isPath(file)) {
    const cure = "Pass one such as `new URL('./greeting.jsonl', import.meta.url)`, or an array of messages.";
    throw invalidArgument('script', 'A script is the path of a file, or its items', file, cure);
  }
  const path = resolve(typeof file === 'string' ? file : fileURLToPath(file));
  if (!existsSync(path)) {
    throw new InvalidOptionError(
      'script',
      `There is no scenario and no recording at ${path}; give the path of one (\`new URL('./x.jsonl', import.meta.url)\` is beside the test), or let recordOnce make one.`,
    );
  }
  const parsed = readScenario(readScript(path), path, conversion);
  const frames = parsed.steps.flatMap(({ step }) => ('out' in step ? [step.out] : []));
  return {
    scenario: { ...parsed, header: { ...parsed.header, ...header } },
    reuse,
    prompts: cliSections(parsed).map(() => []),
    requests: requestsOf(frames),
  };
}

function readScript(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const code = codeOf(cause) ?? 'unknown';
    const message = `The script ${path} cannot be read (${code}). Name a file of scenario or recording lines.`;
    throw new InvalidOptionError('script', message, { cause, code });
  }
}

/** A scenario, or a recording, which becomes one. */
function readScenario(text: string, path: string, conversion?: ConversionOptions): Scenario {
  const first = parseJsonObject(text.slice(0, Math.max(0, text.indexOf('\n'))));
  if (first?.dir !== 'meta') return parseScenario(text, path);
  const { header, steps } = convertRecording(readRecording(text, path), conversion);
  return scenarioOf(steps, { ...header, stepTimeoutMs: STEP_TIMEOUT_MS });
}

interface Section {
  readonly steps: CliStep[];
  /** What each step is called. */
  readonly places: string[];
  readonly prompts: ExpectedPromptAt[];
  readonly frames: JsonObject[];
}

type FlatItem = Exclude<ScriptItem, readonly ScriptItem[]>;

interface PlacedItem {
  readonly item: FlatItem;
  /** As the author of the script counts and names it: several steps may come from one item. */
  readonly place: string;
}

/**
 * @param position - Of an item inside the lists that the author wrote,
 *   from 1; lists that a builder made have no part in it.
 */
function flatten(
  item: ScriptItem | readonly ScriptItem[],
  position: readonly number[] = [],
  made?: string,
): readonly PlacedItem[] {
  const isObject = typeof item === 'object' && item !== null;
  const place = made ?? (isObject && isMade(item) ? placeOf(item, position) : undefined);
  // Not `flat(Infinity)`: its type gives up on a list that holds itself.
  if (isList(item)) return item.flatMap((each, index) => flatten(each, [...position, index + 1], place));
  if (isJsonObject(item)) return [{ item, place: place ?? placeOf(item, position) }];
  throw invalidOption('script', 'made of messages, steps and lists of these', item);
}

const placeOf = (item: object, position: readonly number[]): string =>
  describeItem(item, position.length === 0 ? [1] : position);

const isList = (item: ScriptItem | readonly ScriptItem[]): item is readonly ScriptItem[] => Array.isArray(item);

function splitSections(items: readonly PlacedItem[], reuse: boolean): readonly Section[] {
  const sections: Section[] = [];
  const open = (...first: readonly CliStep[]): Section => {
    const section: Section = { steps: [...first], places: [], prompts: [], frames: [] };
    sections.push(section);
    return section;
  };
  let current: Section | undefined;
  for (const placed of items) {
    const { item, place } = placed;
    if (isSpawn(item)) current = open(item);
    else {
      current ??= reuse ? open() : open({ spawn: {} });
      add(current, placed);
    }
    // Steps that no item stands for are named after the one before or behind them.
    while (current.places.length < current.steps.length) current.places.push(place);
  }
  for (const section of sections) finish(section);
  return sections;
}

function add(section: Section, { item, place }: PlacedItem): void {
  const text = textOf(item, place);
  if (isPrompt(item)) {
    section.prompts.push({ expected: item.prompt, place });
    section.steps.push({ in: { type: 'user' } });
  } else if (isFrame(item)) {
    requireNoLoss(item, place);
    section.frames.push(item);
    // As text: what is in a message is never a variable. Only the id of a callback may have to be found.
    section.steps.push(asksForHook(item) ? { out: verbatim(item) } : { raw: `${text}\n` });
  } else {
    if ('in' in item && item.in.type === 'user') section.prompts.push({ expected: undefined, place });
    for (const key of ['out', 'answer'] as const) requireNoLoss(Reflect.get(item, key), place);
    if ('out' in item) section.frames.push(item.out);
    section.steps.push(item);
  }
}

/** @throws InvalidOptionError the item cannot be JSON: it is circular, holds a BigInt, or its `toJSON` throws. */
function textOf(item: FlatItem, place: string): string {
  try {
    return JSON.stringify(item);
  } catch (cause) {
    throw new InvalidOptionError('script', `${place} cannot be written as JSON: ${errorText(cause)}`, { cause });
  }
}

/** @throws InvalidOptionError what is sent would not be what the author wrote. */
function requireNoLoss(sent: unknown, place: string): void {
  const loss = sent === undefined ? undefined : jsonLoss(sent);
  if (loss === undefined) return;
  throw new InvalidOptionError(
    'script',
    `${place} cannot be written as JSON: ${loss}. Give plain objects, arrays, texts and numbers.`,
  );
}

/** As the CLI does: after an error result it leaves with 1 when its input ends. */
function finish({ steps, places, frames }: Section): void {
  const last = steps.at(-1);
  if (last === undefined || 'exit' in last || 'kill' in last || 'wait' in last) return;
  const result = frames.findLast((frame) => frame.type === 'result');
  if (result?.is_error !== true) return;
  steps.push({ wait: 'EOF' }, { exit: 1 });
  const place = places.at(-1) ?? '';
  places.push(place, place);
}

/** The CLI's control requests among frames, by id. */
export function requestsOf(frames: readonly JsonObject[]): ReadonlyMap<string, JsonObject> {
  return new Map(
    frames.flatMap(({ type, request_id: id, request }) =>
      type === 'control_request' && typeof id === 'string' && isJsonObject(request) ? [[id, request]] : [],
    ),
  );
}

const isSpawn = (item: FlatItem): item is Extract<CliStep, { spawn: unknown }> => 'spawn' in item;
const isPrompt = (item: FlatItem): item is ExpectedPrompt => 'prompt' in item && !('type' in item);
const isFrame = (item: FlatItem): item is SentFrame => 'type' in item;
const asksForHook = ({ request }: SentFrame): boolean => isJsonObject(request) && isJsonObject(request.callback_id);
