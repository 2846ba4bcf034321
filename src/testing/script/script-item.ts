import type { CliStep } from '../scenario/scenario-types.js';

/**
 * One thing the scripted CLI does: a message to send (an object with `type`, as the builders make it, sent as it is), a
 * step of the scenario format, a prompt to wait for, or a list of these.
 */
export type ScriptItem = CliStep | ExpectedPrompt | SentFrame | readonly ScriptItem[];

/** A frame that goes out as it stands: nothing in it is a variable. */
export interface SentFrame {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Waits for a user message. What is in it is judged when the scripted CLI is closed. */
export interface ExpectedPrompt {
  readonly prompt: PromptExpectation;
}

/** The text of the prompt (its text blocks, joined by newlines), a pattern for it, a test of it, or anything. */
export type PromptExpectation = string | RegExp | ((text: string) => boolean) | undefined;

/** The call of a builder that made a script item. */
interface Origin {
  /** The builder, with its first argument when that is a short text: `permission "Bash"`. */
  readonly call: string;
  /** Its stack has the call site. Read when something fails: a stack costs little until it is made into text. */
  readonly trace: { readonly stack?: string };
}

const MAX_ARGUMENT = 40;
const origins = new WeakMap<object, Origin>();

/**
 * The same builders. What they return is remembered with the call that made it, so that a failure can name the item as
 * its author wrote it.
 * @param prefix - Of the builders' names: `outcome.`.
 */
export function traced<T extends object>(builders: T, prefix = ''): T {
  const copies = Object.entries(builders).map(([name, member]: [string, unknown]) => {
    if (typeof member === 'function') return [name, tracedBuilder(`${prefix}${name}`, member)];
    const isGroup = typeof member === 'object' && member !== null;
    return [name, isGroup ? traced(member, `${prefix}${name}.`) : member];
  });
  // Every member keeps its type.
  return Object.fromEntries(copies) as T;
}

// biome-ignore lint/complexity/noBannedTypes: any builder
function tracedBuilder(name: string, build: Function): (...args: unknown[]) => unknown {
  const builder = (...args: unknown[]): unknown => {
    const item: unknown = Reflect.apply(build, undefined, args);
    if (typeof item !== 'object' || item === null) return item;
    const trace: { readonly stack?: string } = {};
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 1;
    Error.captureStackTrace(trace, builder);
    Error.stackTraceLimit = stackTraceLimit;
    const [first] = args;
    const isShown = typeof first === 'string' && first.length <= MAX_ARGUMENT;
    origins.set(item, { call: isShown ? `${name} ${JSON.stringify(first)}` : name, trace });
    return item;
  };
  return builder;
}

export function isMade(item: object): boolean {
  return origins.has(item);
}

/** One item of a script, in the words of its author: `item 3, permission "Bash" (test/app.test.ts:12:5)`. */
export function describeItem(item: object, position: readonly number[]): string {
  const origin = origins.get(item);
  const site = siteOf(origin?.trace.stack);
  const call = origin?.call ?? `{${JSON.stringify(Object.keys(item)[0] ?? '')}: …}`;
  return `item ${position.join('.')}, ${call}${site === undefined ? '' : ` (${site})`}`;
}

/** `file:line:column` of the first frame of a stack; inside the working directory without its path. */
function siteOf(stack: string | undefined): string | undefined {
  const frame = stack
    ?.split('\n')
    .find((line) => /^\s+at /.test(line))
    ?.trim()
    .slice('at '.length);
  // With the name of a function, the place is in brackets behind it.
  const place = frame?.endsWith(')') ? frame.slice(frame.indexOf(' (') + 2, -1) : frame;
  return place?.replace(/^(?:async )?(?:file:\/\/)?/, '').replace(`${process.cwd()}/`, '');
}
