import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type ScenarioHeader, type Step, scenarioOf } from 'claudewire/testing';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { JsonObject } from '../../../../src/util/json.js';
import { DriverProcess } from '../../src/driver/driver-process.js';
import { runScenario } from '../../src/runner/run-scenario.js';
import { checker, FAST, PLAYER, playWith, RAW_DRIVER, startDriver } from './helpers.js';

const START: Step = { drive: { command: 'start', mode: 'query', stream: true } };
const SEND: Step = { drive: { command: 'send', content: 'Go.' } };
const USER: Step = { in: { type: 'user', message: { content: 'Go.' } } };
const RESULT: Step = { out: { type: 'result', subtype: 'success', is_error: false, result: 'Done.' } };
const END: readonly Step[] = [{ drive: { command: 'end_input' } }, { observe: { what: 'end' } }];
const LEAVE: readonly Step[] = [{ wait: 'EOF' }];

let driver: DriverProcess;
beforeEach(async () => {
  driver = await startDriver([RAW_DRIVER]);
});

interface Case {
  readonly name: string;
  readonly steps: readonly Step[];
  readonly header?: Partial<Omit<ScenarioHeader, 'version'>> & JsonObject;
  /** Absent: the scenario passes. */
  readonly fails?: RegExp;
}

const cases: readonly Case[] = [
  {
    name: 'a value that was observed is known to later steps of the driver lane',
    steps: [
      START,
      SEND,
      { drive: { command: 'end_input' } },
      { observe: { what: 'message', message: { type: 'system', session_id: '$session' } } },
      { observe: { what: 'message', message: { type: 'result', session_id: '$session' } } },
      USER,
      { out: { type: 'system', subtype: 'init', session_id: 's-1' } },
      { out: { type: 'result', subtype: 'success', is_error: false, session_id: 's-2' } },
      ...LEAVE,
    ],
    fails: /message\.session_id: expected \$session = string "s-1", found string "s-2"/,
  },
  {
    name: 'a gate holds the CLI lane until the driver lane opens it, and a mark holds the driver lane',
    steps: [
      START,
      SEND,
      { reached: 'asked' },
      { drive: { command: 'call', method: 'setModel', args: ['m'] }, as: 'call' },
      { open: 'go' },
      { reply: 'call', result: { model: 'm' } },
      ...END,
      USER,
      { mark: 'asked' },
      { gate: 'go' },
      { in: { type: 'control_request', request: { subtype: 'set_model' } }, answer: { model: 'm' } },
      RESULT,
      ...LEAVE,
    ],
  },
  {
    name: 'a command that must fail',
    steps: [
      START,
      { drive: { command: 'call', method: 'setModel', args: ['m'] }, as: 'call' },
      { reply: 'call', failure: { kind: 'control', message: 'no model m' } },
      ...END,
      { in: { type: 'control_request', request: { subtype: 'set_model', model: '$m' } }, error: 'no model m' },
      RESULT,
      ...LEAVE,
    ],
  },
  ...[{ error: 'no model m' }, { answer: {} }].map((outcome) => ({
    name: `a command that may fail: ${JSON.stringify(outcome)}`,
    steps: [
      START,
      { drive: { command: 'call', method: 'setModel', args: ['m'] }, as: 'call' },
      { reply: 'call', mayFail: true },
      ...END,
      { in: { type: 'control_request', request: { subtype: 'set_model', model: '$m' } }, ...outcome },
      RESULT,
      ...LEAVE,
    ] as const,
  })),
  {
    name: 'a command that must fail and does not',
    steps: [
      START,
      { drive: { command: 'call', method: 'setModel', args: ['m'] }, as: 'call' },
      { reply: 'call', failure: { kind: 'control' } },
    ],
    fails: /hello:3: the command "call" \(call setModel\) did not fail/,
  },
  {
    name: 'a command that fails although no step says so',
    steps: [
      START,
      { drive: { command: 'call', method: 'setModel', args: ['m'] } },
      { observe: { what: 'end' } },
      { in: { type: 'control_request', request: { subtype: 'set_model' } }, error: 'refused' },
      ...LEAVE,
    ],
    fails: /call setModel \(hello:2\) failed\n {2}got: Failure \(control\): refused/,
  },
  {
    name: 'an answer with other content',
    steps: [
      START,
      { drive: { command: 'call', method: 'setModel', args: ['m'] }, as: 'call' },
      { reply: 'call', result: { model: 'x' } },
      { in: { type: 'control_request', request: { subtype: 'set_model' } }, answer: { model: 'm' } },
      ...LEAVE,
    ],
    fails: /differs at model: expected string "x", found string "m"/,
  },
  {
    name: 'events are counted when all is over',
    steps: [
      START,
      SEND,
      { count: { what: 'message', message: { type: 'result' } }, is: 2 },
      ...END,
      USER,
      RESULT,
      ...LEAVE,
    ],
    fails: /hello:3: expected 2 such events, found 1/,
  },
  {
    name: 'every section must have been spawned',
    steps: [
      START,
      SEND,
      { observe: { what: 'message', message: { type: 'result' } } },
      ...END,
      { spawn: {} },
      USER,
      RESULT,
      ...LEAVE,
      { spawn: {} },
    ],
    fails: /line 10: expected 2 CLI processes, found 1/,
  },
  {
    name: 'a run of another name has events of its own',
    steps: [
      { drive: { command: 'start', mode: 'query', prompt: 'Go.' } },
      { drive: { command: 'start', run: 'b', mode: 'query', prompt: 'Go.' } },
      { observe: { what: 'end' } },
      { observe: { what: 'end' }, run: 'b' },
      { count: { what: 'end' }, is: 1 },
      { in: { type: 'user' } },
      RESULT,
      ...LEAVE,
    ],
  },
  {
    name: 'files are there before anything starts, and variables name their places',
    header: { files: [{ at: 'cwd', path: 'in/settings.json', text: '{}' }] },
    steps: [
      {
        drive: {
          command: 'start',
          mode: 'query',
          prompt: 'Go.',
          // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the scenario
          options: { settings: '${cwd}/in/settings.json' },
        },
      },
      { observe: { what: 'end' } },
      { spawn: { argv: { '--settings': '$file' }, cwd: '$cwd' } },
      { in: { type: 'user' } },
      RESULT,
      ...LEAVE,
    ],
  },
  {
    name: 'an expectation of the CLI lane ends the scenario at once',
    steps: [
      START,
      SEND,
      { observe: { what: 'end' }, timeoutMs: 0 },
      { in: { type: 'user', message: { content: 'Stay.' } } },
    ],
    header: { order: 'exact', deadlineMs: 0 },
    fails: /message\.content: expected string "Stay\.", found string "Go\."/,
  },
  {
    name: 'a CLI lane that waits in vain is told with the step that the driver lane was at',
    steps: [
      START,
      SEND,
      { observe: { what: 'message', message: { type: 'result' } } },
      USER,
      { in: { type: 'control_request', request: { subtype: 'interrupt' } } },
      RESULT,
      ...LEAVE,
    ],
    fails: /nothing in \d+ ms[\s\S]*the driver lane was at \S+:3: \{"observe":\{"what":"message"/,
  },
];

describe('a scenario', () => {
  test.for(cases)('$name', async ({ steps, header = {}, fails }) => {
    const factor = fails === undefined ? 1 : FAST;
    const result = await playWith(driver, steps, { ...header }, factor);
    if (fails === undefined) expect(result).toMatchObject({ status: 'passed' });
    else {
      expect(result.details ?? '').toMatch(fails);
      expect(result.status).toBe('failed');
    }
    expect(result.kept).toBeUndefined();
  });

  test.for([
    [{ at: 'cwd', path: '../x', text: '' }, '`files[0].path` must be a path inside the folder'],
    [{ at: 'cwd', path: '$cwd', text: '' }, 'leaves its folder'],
    [{ at: 'cwd', path: 'x', text: '$none' }, 'variable $none has no value here'],
    [{ at: 'home', path: 'x', text: '' }, 'this run has no home directory'],
  ] as const)('refuses the file %j', async ([file, said]) => {
    const played = async () => playWith(driver, [START], { files: [file] });
    await expect(played()).rejects.toThrow(
      expect.objectContaining({
        name: 'ScenarioError',
        message: expect.stringMatching(/^scenario:1: header: `?files\[0\]/),
      }),
    );
    await expect(played()).rejects.toThrow(said);
  });

  test('everything the runner writes fits the published schema', async () => {
    const request = vi.spyOn(DriverProcess.prototype, 'request');
    const steps: readonly Step[] = [
      { drive: { command: 'start', mode: 'query', stream: true, callbacks: { f: { returns: [1] } } } },
      SEND,
      { drive: { command: 'pause' } },
      { drive: { command: 'resume' } },
      { drive: { command: 'cue', name: 'x' } },
      ...END,
      USER,
      RESULT,
      ...LEAVE,
    ];
    expect((await playWith(driver, steps)).status).toBe('passed');
    const written = request.mock.calls.map(([command], index) => ({ id: index + 1, ...command }));
    expect(written.map((line: JsonObject) => line.command)).toEqual([
      ...['start', 'send', 'pause', 'resume', 'cue', 'end_input', 'finish'],
    ]);
    for (const line of written) expect(checker.problem('command', line)).toBeUndefined();
    request.mockRestore();
  });

  test('the folder of a run that is not passed can be kept', async () => {
    const scenario = scenarioOf([START, { count: { what: 'end' }, is: 7 }], { scenario: 'kept' });
    const { kept, status } = await runScenario({ scenario, driver, player: PLAYER, keep: true });
    expect(status).toBe('failed');
    expect(existsSync(join(kept ?? '', 'cli', 'claude.mjs'))).toBe(true);
    rmSync(kept ?? '', { recursive: true });
  });
});
