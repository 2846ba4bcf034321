import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseScenario } from 'claudewire/testing';
import { expect, test } from 'vitest';
import { loadData } from '../../src/data/load-data.js';

const RECORDINGS = fileURLToPath(new URL('../../../../test/fixtures/recordings/', import.meta.url));
const data = loadData(fileURLToPath(new URL('../..', import.meta.url)));

/** Fields that came with releases of this year: the types of SDKs that are a year old have them as optional, or not at all. */
const NEW = new Set([
  ...['background_tasks', 'duration_ms', 'effort', 'last_assistant_message', 'prompt_id', 'session_crons'],
]);

interface HookInput {
  readonly hook_event_name: string;
  readonly [field: string]: unknown;
}

/** The input of a hook, when the frame asks for one. */
function hookInput(frame: unknown): HookInput | undefined {
  const { request } = frame as { request?: { subtype?: unknown; input?: HookInput } };
  const isHook = request?.subtype === 'hook_callback' && typeof request.input?.hook_event_name === 'string';
  return isHook ? request.input : undefined;
}

/** By event: the fields that the inputs of all recordings have. */
function recordedFields(): ReadonlyMap<string, ReadonlySet<string>> {
  const fields = new Map<string, ReadonlySet<string>>();
  for (const name of readdirSync(RECORDINGS).filter((file) => file.endsWith('.jsonl'))) {
    for (const line of readFileSync(join(RECORDINGS, name), 'utf8').split('\n')) {
      if (!line.includes('"hook_callback"')) continue;
      const { dir, data: frame } = JSON.parse(line) as { dir: string; data: unknown };
      const input = dir === 'out' ? hookInput(frame) : undefined;
      if (input === undefined) continue;
      const event = input.hook_event_name;
      const before = fields.get(event) ?? new Set(Object.keys(input).filter((field) => !NEW.has(field)));
      fields.set(event, new Set([...before].filter((field) => field in input)));
    }
  }
  return fields;
}

test('the input of a hook has every field that the real CLI always writes, so that typed SDKs can read it', () => {
  const fields = recordedFields();
  expect([...fields.keys()]).toEqual(expect.arrayContaining(['PreToolUse', 'PostToolUse', 'Stop']));
  const problems: string[] = [];
  for (const { name, file } of data.scenarios) {
    const { steps } = parseScenario(readFileSync(file, 'utf8'), file);
    const flat = steps.flatMap(({ step }): readonly object[] => ('repeat' in step ? step.steps : [step]));
    for (const step of flat) {
      const input = 'out' in step ? hookInput(step.out) : undefined;
      if (input === undefined) continue;
      const missing = [...(fields.get(input.hook_event_name) ?? [])].filter((field) => !(field in input));
      if (missing.length > 0) problems.push(`${name}: ${input.hook_event_name} lacks ${missing.join(', ')}`);
    }
  }
  expect(problems).toEqual([]);
});
