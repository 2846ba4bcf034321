import { isJsonObject, type JsonObject } from '../../util/json.js';
import type { Question } from './questions.js';

export interface DriverCallbacks {
  readonly callbacks: JsonObject;
  readonly problems: readonly string[];
}

interface Slots {
  readonly returns: unknown[];
  readonly throws: (string | null)[];
  readonly waitFor: (string | null)[];
}

/** The cue that lets a held answer go. */
export const cueOf = ({ name, call }: Question): string =>
  `${String(name).replace(/[^\w.-]/g, '-')}-${call}`;

/** What each callback of the program does at each of its calls, as it was recorded. */
export function driverCallbacks(questions: Iterable<Question>): DriverCallbacks {
  const slots = new Map<string, Slots>();
  const problems: string[] = [];
  for (const question of questions) {
    const { name, call, request, isHeld } = question;
    if (name === undefined) {
      if (request.subtype !== 'mcp_message') {
        problems.push(`the CLI asks ${String(request.subtype)}: no callback answers that`);
      }
      continue;
    }
    const slot = slots.get(name) ?? { returns: [], throws: [], waitFor: [] };
    slots.set(name, slot);
    const { value, thrown, problem } = outcomeOf(question);
    if (problem !== undefined) problems.push(problem);
    slot.returns[call] = value ?? null;
    slot.throws[call] = thrown ?? null;
    slot.waitFor[call] = isHeld ? cueOf(question) : null;
  }
  return {
    callbacks: Object.fromEntries([...slots].map(([name, slot]) => [name, describe(slot)])),
    problems,
  };
}

function describe({ returns, throws, waitFor }: Slots): JsonObject {
  const has = (list: readonly (string | null)[]): boolean => list.some((each) => each !== null);
  return {
    returns,
    ...(has(throws) ? { throws } : {}),
    ...(has(waitFor) ? { waitFor } : {}),
  };
}

function outcomeOf({ answer, request }: Question): {
  readonly value?: unknown;
  readonly thrown?: string;
  readonly problem?: string;
} {
  if (answer === undefined) return {};
  if (answer.subtype === 'error') return { thrown: String(answer.error) };
  const response = answer.response;
  if (request.subtype !== 'mcp_message') return { value: response };
  const reply = isJsonObject(response) ? response.mcp_response : undefined;
  const result = isJsonObject(reply) ? reply.result : undefined;
  return result === undefined
    ? { problem: 'a server answers a call with a JSON-RPC error: no handler of an SDK does' }
    : { value: result };
}
