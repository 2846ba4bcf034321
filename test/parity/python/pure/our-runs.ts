/** Runs of this package beside a CLI, or over a transport of the program's own; the twins of those in `pure.py`. */
import { setTimeout as delay } from 'node:timers/promises';
import * as sdk from '../../../../src/index.js';
import type { JsonObject } from '../../../../src/util/json.js';
import { type ErrorShown, type Given, optionsOf, shortly, storeOf, within } from './our-run-support.js';
import { runOverTransport } from './our-transport.js';
import type { ClientStep, PureCall } from './program.js';

type Call<Op extends PureCall['op']> = Extract<PureCall, { readonly op: Op }>;
/** What the runner adds to a call. */
type Started = NonNullable<Given['started']>;
type StartedCall<Op extends 'run' | 'client'> = Omit<Call<Op>, 'cli'> & Started;

export function runOps(errorShown: ErrorShown): Readonly<Record<string, (call: never) => unknown>> {
  return {
    run: (call: StartedCall<'run'>) => run(call, errorShown),
    client: (call: StartedCall<'client'>) => client(call, errorShown),
    transport: (call: Call<'transport'>) => runOverTransport(call, errorShown),
  };
}

function givenOf(call: StartedCall<'run' | 'client'>): Given {
  const { cli, cwd, env, options, hooks } = call;
  return {
    started: { cli, cwd, env },
    ...(options === undefined ? {} : { options }),
    ...(hooks === undefined ? {} : { hooks }),
  };
}

async function run(call: StartedCall<'run'>, errorShown: ErrorShown): Promise<unknown> {
  const made = storeOf(call);
  const messages: string[] = [];
  const lost: unknown[] = [];
  const answer: Record<string, unknown> = { messages, lost };
  const restore = shrinkMinutes(call.minuteMs);
  let query: sdk.Query | undefined;
  const consume = async (): Promise<void> => {
    query = sdk.query({ prompt: (call.prompt ?? 'Hi') as string, options: optionsOf(givenOf(call), made) });
    try {
      for await (const message of query) {
        messages.push(shortly(message));
        const { subtype, error } = message as unknown as JsonObject;
        if (subtype === 'mirror_error') lost.push(error);
        if (messages.length === call.breakAt) break;
      }
    } catch (error) {
      if (call.again) answer.again = (await query.next()).done === true ? 'over' : 'more';
      throw error;
    }
  };
  await within(consume(), call.limitMs ?? 20_000, answer, errorShown);
  if (answer.hung === true) query?.close();
  restore();
  return { ...answer, ...(made === undefined ? {} : { calls: made.calls }) };
}

/** Waits of a minute are this long, until they are put back. */
function shrinkMinutes(ms: number | undefined): () => void {
  const original = globalThis.setTimeout;
  if (ms === undefined) return () => {};
  const shrunk = (call: () => void, wait?: number): NodeJS.Timeout => original(call, wait === 60_000 ? ms : wait);
  globalThis.setTimeout = Object.assign(shrunk, original) as typeof setTimeout;
  return () => {
    globalThis.setTimeout = original;
  };
}

async function* itemsOf<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

async function takeStep(client: sdk.ClaudeClient, [name, ...args]: ClientStep): Promise<unknown> {
  const [first, second] = args as readonly unknown[];
  switch (name) {
    case 'connect':
      return client.connect(first as string | undefined);
    case 'connectItems':
      return client.connect(itemsOf(first as never[]));
    case 'query':
      return client.query(first as string, second as string | undefined);
    case 'queryItems':
      await client.query(itemsOf(first as never[]), second as string | undefined);
      return first;
    case 'receive':
      return receive(client, first as number | undefined);
    case 'receiveResponse': {
      const messages: string[] = [];
      for await (const message of client.receiveResponse()) messages.push(shortly(message));
      return { messages };
    }
    case 'serverInfo':
      return client.getServerInfo();
    case 'call':
      return callMethod(client, args as readonly [string, ...unknown[]]);
    case 'scope':
      return scope(client, first as boolean);
    case 'disconnect':
      return client.disconnect();
    case 'pause':
      return delay(first as number);
  }
}

async function receive(client: sdk.ClaudeClient, count: number | undefined): Promise<unknown> {
  const messages: string[] = [];
  try {
    for await (const message of client.receiveMessages()) {
      messages.push(shortly(message));
      if (messages.length === count) break;
    }
  } catch (error) {
    return { messages, error: error instanceof Error ? error.name : String(error) };
  }
  return { messages };
}

/** What Python calls otherwise. */
const METHODS: Readonly<Record<string, string>> = { getMcpStatus: 'mcpServerStatus' };

async function callMethod(
  client: sdk.ClaudeClient,
  [method, ...args]: readonly [string, ...unknown[]],
): Promise<unknown> {
  const member = Reflect.get(client, METHODS[method] ?? method) as (...given: unknown[]) => unknown;
  const value = await member.apply(client, args);
  return value !== undefined && method.startsWith('get');
}

async function scope(client: sdk.ClaudeClient, fails: boolean): Promise<unknown> {
  try {
    await using entered = client;
    await entered.connect();
    if (fails) throw new RangeError('mine');
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return error.message;
  }
  return 'left';
}

async function client(call: StartedCall<'client'>, errorShown: ErrorShown): Promise<unknown> {
  const one = new sdk.ClaudeClient(optionsOf(givenOf(call), storeOf(call)));
  const seen: unknown[] = [];
  for (const step of call.steps) {
    const answer: Record<string, unknown> = {};
    const value = await within(takeStep(one, step), call.limitMs ?? 10_000, answer, errorShown);
    const error = answer.error as { class: string; message: string } | undefined;
    seen.push({
      ...answer,
      ...(error === undefined ? {} : { error: error.class, text: error.message }),
      ...(value === undefined || value === null ? {} : { value }),
    });
  }
  await within(one.disconnect(), 20_000, {}, errorShown);
  return { steps: seen };
}
