import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import * as guards from '../../src/parser/guards.js';
import type { OutcomeKind } from '../../src/parser/outcome.js';

const text = readFileSync(new URL('../../docs/messages.md', import.meta.url), 'utf8');

/** The compiler holds the keys against the union. */
const retryable: Record<OutcomeKind, 'yes' | 'no' | 'no*'> = {
  completed: 'no',
  deferred: 'no',
  hook_stopped: 'no',
  max_turns: 'no',
  max_budget: 'no',
  max_output_tokens: 'no',
  rate_limited: 'yes',
  overloaded: 'yes',
  server_error: 'yes',
  connection_failed: 'yes',
  auth: 'no',
  billing: 'no',
  invalid_request: 'no',
  model_not_found: 'no',
  context_overflow: 'no',
  structured_output_failed: 'yes',
  refused: 'no',
  interrupted: 'no',
  deadline: 'no',
  idle_timeout: 'yes',
  crashed: 'no',
  not_started: 'no*',
  incomplete: 'no',
  failed: 'no',
};

describe('docs/messages.md', () => {
  test('has every outcome, with its retryable, and no other', () => {
    const rows = [...text.matchAll(/^\| `(\w+)` \| (yes|no\*?) \|/gm)];
    expect(Object.fromEntries(rows.map(([, kind, value]) => [kind, value]))).toEqual(retryable);
  });

  test('has every guard', () => {
    expect(Object.keys(guards).filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
  });
});
