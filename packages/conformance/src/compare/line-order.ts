import { type Difference, differencesOf } from './differences.js';
import type { Observation } from './observation.js';

/**
 * Compares what two programs printed. When the CLI asked them something, the order of equal lines does not count: SDKs
 * whose loop and callbacks run in different tasks may start a callback before or after the messages around it.
 */
export function lineDifferences(left: Observation, right: Observation): readonly Difference[] {
  const lines = hasQuestion(left) && hasQuestion(right) ? inOrderOf(left.messages, right.messages) : right.messages;
  return differencesOf(left.messages, lines);
}

function hasQuestion({ processes }: Observation): boolean {
  return processes.some(({ frames }) => Object.keys(frames).some((name) => name.startsWith('answer to ')));
}

/** `lines` with those that `model` has too in its places; the others fill what is left, in their order. */
function inOrderOf(model: readonly unknown[], lines: readonly unknown[]): readonly unknown[] {
  const left = lines.map((line) => ({ line, text: JSON.stringify(line) }));
  const take = (index: number): unknown => left.splice(index, 1)[0]?.line;
  const placed = model.map((line) => {
    const text = JSON.stringify(line);
    const index = left.findIndex((each) => each.text === text);
    return index === -1 ? undefined : take(index);
  });
  const filled = placed.map((line) => (line === undefined ? take(0) : line));
  return [...filled, ...left.map(({ line }) => line)];
}
