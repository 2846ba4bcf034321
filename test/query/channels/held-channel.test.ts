import { channel, subscribe } from 'node:diagnostics_channel';
import { setTimeout } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { HeldChannel } from '../../../src/query/channels/channels.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

test('subscribers are found when an earlier channel of the same name is collected late', async () => {
  const held: HeldChannel[] = [];
  const got: unknown[] = [];
  const names = Array.from({ length: 20 }, (_, index) => `claudewire-test-held-${index}`);
  for (const name of names) (() => void channel(name))();
  // Nothing is collected in the turn of the event loop in which it was made.
  await setTimeout(0);
  collect();
  for (const name of names) held.push(new HeldChannel(name));
  // The registry learns of the collection in a later turn.
  await setTimeout(10);
  for (const name of names) subscribe(name, (message) => got.push(message));
  for (const each of held) each.subscribed?.publish({});
  expect(got).toHaveLength(names.length);
});

test('a subscriber is kept, and without one there is no channel', () => {
  const held = new HeldChannel('claudewire-test-held');
  expect(held.subscribed).toBeUndefined();
  const own = channel('claudewire-test-held');
  const noop = (): void => undefined;
  own.subscribe(noop);
  expect(held.subscribed).toBe(own);
  own.unsubscribe(noop);
  expect(held.subscribed).toBeUndefined();
});
