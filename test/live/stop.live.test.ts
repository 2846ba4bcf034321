import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { AbortError, type Options, outcomeOf, query } from '../../src/index.js';
import type { SDKMessage, SDKUserMessage } from '../../src/parser/message.js';
import type { BlocksTurn, Turn } from '../../src/testing/messages-api/turn.js';
import { CURRENT, type LiveCli, OLDEST } from './support/clis.js';
import { CAN_LIST_PROCESSES, waitUntil } from './support/processes.js';
import { closeStage, expectNoProcess, openStage, type Stage } from './support/stage.js';
import { bash } from './support/turns.js';

/** Tries of each case. */
const TRIES = 3;
/** A file that exists when a tool ran that must not have. */
const LATE = 'late.txt';
const CALL_LATE = bash(`touch ${LATE}`);
/** Text for more than a second, then the call of a tool that needs no permission. */
const TEXT_THEN_TOOL: BlocksTurn = {
  blocks: [{ type: 'text', text: 'word '.repeat(60) }, ...CALL_LATE.blocks],
  chunkSize: 20,
  chunkMs: 60,
};

interface Case {
  readonly name: string;
  readonly turns: readonly Turn[];
  readonly prompt?: () => string | AsyncIterable<SDKUserMessage>;
  readonly options?: Options;
  /** Resolves when it is time to stop. */
  readonly when: (stage: Stage, seen: Seen, attempt: number) => Promise<void>;
  /** Whether the result of the stopped turn must be in the error. */
  readonly hasResult: boolean;
  /** An agent sends requests at any time, so one may be on its way at the moment of the stop. */
  readonly inFlight?: 1;
}

class Seen {
  readonly messages: SDKMessage[] = [];
  has(is: (message: SDKMessage) => boolean): Promise<void> {
    return waitUntil('a message', () => this.messages.some(is), 30_000);
  }
}

const isDelta = (message: SDKMessage) =>
  message.type === 'stream_event' && message.event.type === 'content_block_delta';
const isTaskStarted = (message: SDKMessage) => message.type === 'system' && message.subtype === 'task_started';

async function* staysOpen(...texts: readonly string[]): AsyncGenerator<SDKUserMessage> {
  for (const text of texts) yield userMessage(text);
  await new Promise(() => {});
}

async function* ends(text: string): AsyncGenerator<SDKUserMessage> {
  yield userMessage(text);
}

function userMessage(content: string): SDKUserMessage {
  return { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null };
}

const AGENT: BlocksTurn = {
  blocks: [
    {
      type: 'tool_use',
      name: 'Agent',
      input: {
        description: 'Work on',
        prompt: 'Subagent task: work on.',
        subagent_type: 'general-purpose',
        run_in_background: true,
      },
    },
  ],
};
const isOfAgent = ({ body }: { readonly body: unknown }) =>
  JSON.stringify(body).includes('Subagent task: work on.') && !JSON.stringify(body).includes('"name":"Agent","input"');
/** The agent calls one quick tool after the other, for as long as it lives. */
const AGENT_WORKS: Turn = { ...bash('echo again; sleep 0.2'), when: isOfAgent, times: Number.POSITIVE_INFINITY };

const CASES: readonly Case[] = [
  {
    name: 'before system/init',
    turns: [CALL_LATE, CALL_LATE, 'Done.'],
    when: (_stage, _seen, attempt) => delay(((attempt - 1) * 280) / TRIES),
    hasResult: false,
  },
  {
    name: 'while text streams',
    turns: [TEXT_THEN_TOOL, 'Done.'],
    when: (_stage, seen) => seen.has(isDelta),
    hasResult: true,
  },
  {
    name: 'while a tool runs',
    turns: [bash('echo begun > begun.txt; sleep 20; touch late.txt'), CALL_LATE, 'Done.'],
    when: (stage) => waitUntil('the tool runs', () => existsSync(join(stage.cwd, 'begun.txt')), 30_000),
    hasResult: true,
  },
  {
    name: 'with messages queued',
    turns: [{ text: 'word '.repeat(60), chunkSize: 20, chunkMs: 60 }, CALL_LATE, 'Done.'],
    prompt: () => staysOpen('One.', 'Two.', 'Three.'),
    when: (_stage, seen) => seen.has(isDelta),
    hasResult: true,
  },
  {
    name: 'while a permission is asked for',
    turns: [CALL_LATE, CALL_LATE, 'Done.'],
    options: { allowedTools: [], canUseTool: () => new Promise(() => {}) },
    when: (_stage, seen) => seen.has((message) => message.type === 'assistant').then(() => delay(50)),
    hasResult: true,
  },
  {
    name: 'while a background agent works, after the turn',
    turns: [AGENT_WORKS, AGENT, 'Started.', 'Done.'],
    options: { hooks: { Stop: [{ hooks: [async () => ({})] }] } },
    when: (_stage, seen) =>
      seen
        .has(isTaskStarted)
        .then(() => seen.has((message) => message.type === 'result'))
        .then(() => delay(300)),
    hasResult: false,
    inFlight: 1,
  },
  {
    name: 'while a background agent works, after the input',
    turns: [AGENT_WORKS, AGENT, 'Started.', 'Done.'],
    when: (_stage, seen) => seen.has(isTaskStarted).then(() => delay(300)),
    hasResult: false,
    inFlight: 1,
  },
  {
    name: 'while text streams, after the input',
    turns: [TEXT_THEN_TOOL, 'Done.'],
    prompt: () => ends('Go.'),
    when: (_stage, seen) => seen.has(isDelta),
    hasResult: false,
  },
];

const FOR_OLDEST = ['while text streams', 'with messages queued', 'while a permission is asked for'];

/** Lets the server take in what the CLI has sent already: both share this process's event loop. */
async function arrived(): Promise<void> {
  for (let tick = 0; tick < 3; tick += 1) await new Promise(setImmediate);
}

async function stopOnce(cli: LiveCli, one: Case, way: string, attempt = 1): Promise<void> {
  const stage = await openStage(cli, { turns: [...one.turns] });
  try {
    const abortController = new AbortController();
    const session = query({
      prompt: one.prompt?.() ?? 'Go.',
      options: stage.options({
        allowedTools: ['Bash', 'Agent', 'Task'],
        includePartialMessages: true,
        ...one.options,
        abortController,
      }),
    });
    const seen = new Seen();
    const loop = (async () => {
      for await (const message of session) seen.messages.push(message);
    })().catch((error: unknown) => error);
    await one.when(stage, seen, attempt);
    await arrived();
    const before = stage.api.requests.length;
    if (way === 'abort') abortController.abort();
    else if (way === 'close') session.close();
    else await session.return();
    const error = await loop;
    if (CAN_LIST_PROCESSES) await expectNoProcess(stage);
    const outcome = error === undefined ? undefined : outcomeOf(error);
    expect(existsSync(join(stage.cwd, LATE)), 'a tool ran after the stop').toBe(false);
    // 2.0.56 does not know `cancel_queued` and begins the next turn, which a signal ends.
    if (cli === CURRENT) {
      const after = stage.api.requests.length - before;
      expect(after, 'requests after it').toBeLessThanOrEqual(one.inFlight ?? 0);
    }
    if (way !== 'abort') return;
    expect(error).toBeInstanceOf(AbortError);
    if (!one.hasResult || cli !== CURRENT) return;
    expect(outcome).toMatchObject({
      kind: 'interrupted',
      result: { subtype: 'error_during_execution', usage: expect.anything() },
    });
  } finally {
    await closeStage(stage);
  }
}

describe('stop means stop, current CLI (C-6)', () => {
  for (const one of CASES) {
    test.each(Array.from({ length: TRIES }, (_, index) => index + 1))(`${one.name}, %i`, (attempt) =>
      stopOnce(CURRENT, one, 'abort', attempt),
    );
  }
  test.each(['close', 'return'])('%s while text streams', (way) => stopOnce(CURRENT, CASES[1] as Case, way));
});

// Without the running tool: 2.0.56 leaves the command behind, however it is told to stop (`teardown.live.test.ts`).
describe('stop means stop, oldest CLI (C-6)', () => {
  for (const one of CASES.filter(({ name }) => FOR_OLDEST.includes(name))) {
    test.each(Array.from({ length: TRIES }, (_, index) => index + 1))(`${one.name}, %i`, (attempt) =>
      stopOnce(OLDEST, one, 'abort', attempt),
    );
  }
});
