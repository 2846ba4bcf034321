import * as sdk from '../../../../src/index.js';
import type { JsonObject } from '../../../../src/util/json.js';
import { type MadeStore, madeStore } from './made-store.js';
import type { JsonRecord, StoreSpec } from './program.js';

export type ErrorShown = (error: unknown) => unknown;

/** What options are made from. */
export interface Given {
  readonly options?: JsonRecord;
  readonly hooks?: string;
  /** What the runner adds for a run beside a CLI. */
  readonly started?: { readonly cli: string; readonly cwd: string; readonly env: Record<string, string> };
}

async function anyHook(): Promise<object> {
  return {};
}

export function optionsOf({ options, hooks, started }: Given, made: MadeStore | undefined): sdk.Options {
  return {
    ...options,
    ...(started === undefined ? {} : { pathToClaudeCodeExecutable: started.cli, cwd: started.cwd, env: started.env }),
    ...(made === undefined ? {} : { sessionStore: made.store }),
    // Plain objects are the form here.
    ...(hooks === undefined ? {} : { hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [anyHook] }] } }),
  } as unknown as sdk.Options;
}

export function storeOf({ store }: { readonly store?: StoreSpec }): MadeStore | undefined {
  return store === undefined ? undefined : madeStore(store, sdk.foldSessionSummary);
}

/** Its kind, and its text when it has one. */
export function shortly(message: unknown): string {
  const parsed = sdk.parseMessage(message);
  if (!parsed.ok) return 'refused';
  const { kind } = parsed.message;
  const content = 'content' in parsed.message ? parsed.message.content : undefined;
  const [first] = Array.isArray(content) ? (content as readonly JsonObject[]) : [];
  return first?.text === undefined ? kind : `${kind}: ${first.text}`;
}

export async function within(
  work: Promise<unknown>,
  limitMs: number,
  answer: Record<string, unknown>,
  errorShown: ErrorShown,
): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), limitMs);
  });
  try {
    const value = await Promise.race([work, late]);
    if (value !== 'late') return value;
    answer.hung = true;
  } catch (error) {
    answer.error = errorShown(error);
  } finally {
    clearTimeout(timer);
  }
  return undefined;
}
