import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { EvaluationAbortedError, PromptEvaluationError } from '../../../src/adapter/errors/evaluation-errors.js';
import { ClaudeAgentAdapter } from '../../../src/adapter/evaluate/claude-agent-adapter.js';
import { Budget } from '../../../src/adapter/limits/budget.js';
import { BudgetTracker } from '../../../src/adapter/limits/budget-tracker.js';
import type { PromptResponse } from '../../../src/adapter/report/run-report.js';
import { Session } from '../../../src/adapter/state/session.js';
import { createFrames, type ScriptItem } from '../../../src/testing/index.js';
import { askPrompt, eventsOf, typesOf } from '../support/make-prompt.js';
import { play } from '../support/play.js';

const COUNT = 60;
const KINDS = ['answers', 'is aborted', 'crashes'] as const;
type Kind = (typeof KINDS)[number];

const kindOf = (index: number): Kind => KINDS[index % KINDS.length] ?? 'answers';
const sessionIdOf = (index: number): string => `5e551000-0000-4000-8000-${String(index).padStart(12, '0')}`;
const indexOf = (cliSessionId: string | undefined): number => Number(cliSessionId?.slice(-12));

/** What the CLI that is started as number `index` does. Its figures are its own, so that a mix-up shows. */
function part(index: number): ScriptItem {
  const frames = createFrames({ sessionId: sessionIdOf(index) });
  const { process, prompt, hook, init, assistantText, result, errorResult, expectRequest } = frames;
  const usage = { input_tokens: 1_000 + index, output_tokens: 1 };
  const said = `said by ${index}`;
  const begin = [process(), prompt(), hook('UserPromptSubmit', { prompt: 'x' }), init()];
  const ends: Record<Kind, ScriptItem> = {
    answers: [assistantText(said), result(said, { usage: usage as never, modelUsage: {} })],
    'is aborted': [
      expectRequest('interrupt'),
      assistantText(said),
      errorResult('error_during_execution', ['interrupted'], {
        terminal_reason: 'aborted_streaming',
        usage: usage as never,
        modelUsage: {},
      }),
    ],
    crashes: [assistantText(said), frames.stderr(`crash of ${index}\n`), frames.exit(7)],
  };
  return [...begin, ends[kindOf(index)]];
}

/** Processes of this machine that were started with the mark, from the system's own table. */
function processesWith(mark: string): number {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, 'latin1').includes(mark);
    } catch {
      // It has ended, or is somebody else's.
      return false;
    }
  }).length;
}

const openFiles = (): number => readdirSync('/proc/self/fd').length;
const listeners = (): Record<string, number> =>
  Object.fromEntries(process.eventNames().map((name) => [String(name), process.listenerCount(name)]));

// Counts processes in /proc.
test.runIf(process.platform === 'linux')(
  `${COUNT} evaluations at once share nothing and leave nothing, a third of them aborted, a third crashing (Linux only)`,
  async () => {
    await using stage = play(
      Array.from({ length: COUNT }, (_, index) => part(index)),
      {
        recordings: ['interrupt-streaming', 'hello', 'hooks-all-events'],
        ...{ stepTimeoutMs: 0, deadlineMs: 0, closeGraceMs: 10_000 },
      },
    );
    const mark = randomUUID();
    let arrived = 0;
    let letGo = (): void => {};
    const allThere = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    let atOnce = 0;
    const adapter = new ClaudeAgentAdapter({
      ...stage.machine,
      clientConfig: {
        ...stage.machine.clientConfig,
        isolation: { env: { CONCURRENCY_MARK: mark } },
        contextProviders: [
          async ({ promptName }) => {
            arrived += 1;
            if (arrived === COUNT) {
              atOnce = processesWith(mark);
              letGo();
            }
            await allThere;
            return promptName;
          },
        ],
      },
    });
    const before = { files: openFiles(), listeners: listeners() };

    const one = async (number: number) => {
      const session = new Session();
      const caller = new AbortController();
      const seen = new Set<string | undefined>();
      const tracker = new BudgetTracker(new Budget({ maxTotalTokens: 1_000_000 }));
      const outcome = await adapter
        .evaluate(askPrompt({ name: `run-${number}`, key: `run-${number}` }), {
          session,
          signal: caller.signal,
          budgetTracker: tracker,
          onMessage: (message) => {
            seen.add(message.session_id);
            const isMine = kindOf(indexOf(message.session_id)) === 'is aborted';
            if (isMine && message.type === 'system') caller.abort(`reason ${number}`);
          },
        })
        .then(
          (response): PromptResponse<null> | PromptEvaluationError => response,
          (error: PromptEvaluationError) => error,
        );
      // One that failed before the others were there would leave them waiting.
      letGo();
      return { name: `run-${number}`, number, session, seen: [...seen], outcome, tracker };
    };
    const runs = await Promise.all(Array.from({ length: COUNT }, (_, number) => one(number)));

    // From the operating system: all of them ran at once, and none is left.
    expect(atOnce).toBe(COUNT);
    expect(processesWith(mark)).toBe(0);
    expect(readdirSync(stage.tempRoot)).toEqual([]);
    expect(readdirSync(stage.hostHome)).toEqual([]);
    expect(listeners()).toEqual(before.listeners);
    expect(openFiles()).toBeLessThanOrEqual(before.files + 2);

    const homes = new Set(stage.runs.map(({ env }) => env.HOME));
    expect(homes.size).toBe(COUNT);
    // The prompt that each process got, by the session it played.
    const askedOf = new Map(
      stage.runs.map(({ spawn, frames }) => [
        sessionIdOf(spawn - 1),
        frames.find(({ type }) => type === 'user')?.session_id,
      ]),
    );
    expect(new Set(askedOf.values()).size).toBe(COUNT);

    const kinds = new Map<string, number>();
    for (const { name, number, session, seen, outcome, tracker } of runs) {
      const [cliSessionId] = seen;
      const index = indexOf(cliSessionId);
      expect(seen).toHaveLength(1);
      expect(askedOf.get(cliSessionId ?? '')).toBe(name);
      const kind = kindOf(index);
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
      expect(new Set(eventsOf(session).map(({ promptName }) => promptName))).toEqual(new Set([name]));
      // What an aborted run has used is in its last words, and these have 2 s: on a busy machine they may be missing.
      const told = kind === 'crashes' ? 10 : 1_000 + index;
      expect(kind === 'is aborted' ? [told, undefined] : [told]).toContain(tracker.consumed.inputTokens);
      if (kind === 'answers') {
        expect(outcome).toMatchObject({
          text: `said by ${index}`,
          usage: { inputTokens: 1_000 + index, outputTokens: 1 },
          report: { promptName: name },
        });
        expect(typesOf(session)).toEqual(['promptRendered', 'promptExecuted']);
        continue;
      }
      expect(typesOf(session)).toEqual(['promptRendered']);
      expect(outcome).toBeInstanceOf(kind === 'crashes' ? PromptEvaluationError : EvaluationAbortedError);
      expect(outcome).toMatchObject({
        promptName: name,
        partial: { cliSessionId, text: `said by ${index}` },
        report: { promptName: name, outcome: { status: 'failed' } },
        ...(kind === 'crashes'
          ? { providerPayload: { exitCode: 7, stderr: expect.stringContaining(`crash of ${index}`) } }
          : { cause: `reason ${number}` }),
      });
    }
    expect(Object.fromEntries(kinds)).toEqual({ answers: 20, 'is aborted': 20, crashes: 20 });
    const signals = stage.runs.flatMap((run) => run.signals);
    expect(signals).toEqual([]);
  },
  240_000,
);
