import type { ConversationKey, WakeUp } from 'claudewire-server';
import { damaged } from './lines.js';
import { serverEntry } from './server-entry.js';

/** A conversation that is due, as it is stored. */
export interface StoredWakeUps {
  /** May throw. */
  readonly keyOf: () => ConversationKey;
  readonly text: unknown;
}

/** When a host has to look at them. There must be one. */
export function firstOf(wakeUps: readonly WakeUp[]): number {
  return wakeUps.reduce((first, { fireAt }) => Math.min(first, fireAt), Number.POSITIVE_INFINITY);
}

/** @throws StoreError `damaged`. */
export function wakeUpsOf(text: unknown, { tenant, id }: ConversationKey): readonly WakeUp[] {
  const wakeUps = parsedWakeUps(text);
  if (wakeUps !== undefined) return wakeUps;
  throw damaged(`the wake-ups of conversation ${id} of ${JSON.stringify(tenant.slice(0, 80))}`, 'cannot be read');
}

/** What is damaged says so when it is asked for: here it neither holds up the others nor takes their place. */
export async function readableKeys(found: readonly StoredWakeUps[]): Promise<readonly ConversationKey[]> {
  const { assertConversationKey } = await serverEntry();
  return found.flatMap(({ keyOf, text }) => {
    try {
      const key = keyOf();
      assertConversationKey(key);
      return parsedWakeUps(text) === undefined ? [] : [key];
    } catch {
      return [];
    }
  });
}

/** `undefined`: they are not what a store writes. */
function parsedWakeUps(text: unknown): readonly WakeUp[] | undefined {
  try {
    const value: unknown = typeof text === 'string' ? JSON.parse(text) : undefined;
    return Array.isArray(value) && value.every(isWakeUp) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isWakeUp(value: unknown): value is WakeUp {
  const { wakeUpId, prompt, schedule, recurring, dueAt, fireAt } = (value ?? {}) as Partial<
    Record<keyof WakeUp, unknown>
  >;
  const areTexts = [wakeUpId, prompt, schedule].every((text) => typeof text === 'string');
  return areTexts && typeof recurring === 'boolean' && typeof dueAt === 'number' && typeof fireAt === 'number';
}
