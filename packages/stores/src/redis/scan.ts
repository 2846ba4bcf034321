import type { Redis } from 'ioredis';
import type { RedisCalls } from './client.js';

/**
 * The keys that begin and end with certain texts, a page at a time, on every master of a cluster. A key may come twice.
 * Redis looks at all its keys for it, in small steps.
 */
export async function* keysMatching(
  calls: RedisCalls,
  start: string,
  end: string,
  count: number,
): AsyncGenerator<string, void> {
  const { client } = calls;
  const nodes: readonly Redis[] = 'nodes' in client ? client.nodes('master') : [client];
  const pattern = `${start.replace(/[\\*?[\]^]/g, '\\$&')}*${end}`;
  for (const node of nodes) {
    let cursor = '0';
    do {
      const [next, keys] = await calls.attempt('Looking for old sessions', () =>
        node.scan(cursor, 'MATCH', pattern, 'COUNT', count),
      );
      cursor = next;
      yield* keys;
    } while (cursor !== '0');
  }
}
