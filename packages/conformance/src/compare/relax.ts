import type { CliStep, PlacedStep, Scenario, Step } from 'claudewire/testing';
import { isJsonObject, type JsonObject } from '../util/json.js';

/**
 * The scenario for programs that it was not written for: the CLI goes on whatever they send, so that all of both can be
 * compared. Of every expectation there is left what kind of frame it is, and what later frames of the CLI refer to.
 */
export function relaxed({ header, steps, file }: Scenario): Scenario {
  return {
    header: { ...header, order: 'any', unclaimed: 'allow' },
    steps: steps.flatMap((placed) => relaxedStep(placed)),
    file,
  };
}

const OF_DRIVER = ['drive', 'reply', 'observe', 'count', 'reached', 'open'];

function relaxedStep({ step, line }: PlacedStep): readonly PlacedStep[] {
  if (OF_DRIVER.some((kind) => kind in step)) return [];
  return [{ step: looser(step), line }];
}

function looser<S extends Step>(step: S): S {
  if ('in' in step) return { ...step, in: kindOf(step.in) };
  if ('inAny' in step) return { ...step, inAny: step.inAny.map((each) => ({ ...each, in: kindOf(each.in) })) };
  if ('repeat' in step)
    return { ...step, steps: step.steps.map((each: Exclude<CliStep, { spawn: unknown }>) => looser(each)) };
  if ('spawn' in step) {
    const argv = captured(step.spawn.argv ?? {});
    return { ...step, spawn: isJsonObject(argv) ? { argv } : {} };
  }
  return step;
}

/** What a frame must have to be the one that is meant. */
const NAMES: Readonly<Record<string, readonly string[]>> = { request: ['subtype'], response: ['request_id'] };

function kindOf(frame: JsonObject): JsonObject {
  const kept = captured(frame);
  const kind: JsonObject = { ...(isJsonObject(kept) ? kept : {}) };
  if ('type' in frame) kind.type = frame.type;
  for (const [field, names] of Object.entries(NAMES)) {
    const [from, to] = [frame[field], kind[field]];
    if (!isJsonObject(from)) continue;
    const named = Object.fromEntries(names.filter((name) => name in from).map((name) => [name, from[name]]));
    kind[field] = { ...(isJsonObject(to) ? to : {}), ...named };
  }
  return kind;
}

/** The part of a pattern that captures a value; `undefined` when none does. */
function captured(pattern: unknown): unknown {
  if (typeof pattern === 'string')
    return /^\$[A-Za-z]\w*$/.test(pattern) && pattern !== '$absent' ? pattern : undefined;
  if (Array.isArray(pattern)) {
    const parts = pattern.map(captured);
    return parts.some((part) => part !== undefined) ? parts.map((part) => part ?? '$_') : undefined;
  }
  if (!isJsonObject(pattern) || Object.keys(pattern).some((key) => key.startsWith('$'))) return undefined;
  const parts = Object.entries(pattern).flatMap(([key, value]) => {
    const part = captured(value);
    return part === undefined ? [] : [[key, part] as const];
  });
  return parts.length === 0 ? undefined : Object.fromEntries(parts);
}
