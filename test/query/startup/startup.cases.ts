import { prewarm, startup } from '../../../src/index.js';
import type { JsonObject } from '../../../src/util/json.js';
import { initFrame, resultFrame } from '../../helpers/cli-frames.js';
import { request } from '../../helpers/session-case/query-methods.js';
import type { SessionCase } from '../../helpers/session-case/session-case.js';
import type { Stage } from '../../helpers/session-case/session-stage.js';
import { EOF, probe, RESULT, USER, userText } from '../../helpers/session-case/steps.js';

const FOLDER = '/projects/one';
const CLAIMED = { cwd: FOLDER, session_id: 's1', parked_ms: 42, sdk_mcp_settled: true };
const CLAIM: JsonObject = { cwd: FOLDER, sdk_mcp_servers: [], include_initialize: true };

/** A spare waits in a folder that the CLI's configuration has; here that is the stage's own. */
function spareOptions(stage: Stage) {
  return { env: { PATH: process.env.PATH, CLAUDE_CONFIG_DIR: stage.cli.dir } };
}

function expecting(subtype: string) {
  return { type: 'control_request', request: { subtype } };
}

/** A warm process and a spare one, each played by a process. */
export const startupCases: readonly SessionCase[] = [
  {
    ids: ['TS-174'],
    name: 'startup() waits, its query() writes the user frame, and a second one throws',
    cli: [...probe(), USER, { out: initFrame() }, RESULT, EOF],
    program: async (stage) => {
      const warm = await startup({ options: stage.options });
      // The CLI shows that nothing but `initialize` has come, and gets its prompt behind that.
      const run = warm.query('Hi');
      try {
        warm.query('Again');
      } catch (error) {
        stage.note((error as Error).message);
      }
      await stage.drain(undefined, run);
    },
    expect: {
      written: [userText('Hi')],
      messages: ['system/init', 'result/success'],
      notes: ['WarmQuery.query() can only be called once'],
      diagnostics: ['request_unsupported'],
    },
  },
  {
    ids: ['TS-174'],
    name: 'a warm process that is closed gets its end of input and nothing else',
    cli: [EOF],
    program: async (stage) => {
      const warm = await startup({ options: stage.options });
      await warm[Symbol.asyncDispose]();
    },
    expect: { written: [] },
  },
  {
    ids: ['TS-177'],
    name: 'a claim comes first, what differs behind it, and the user frame last',
    options: spareOptions,
    cli: [
      { in: expecting('claim_session'), answer: CLAIMED },
      { in: expecting('set_model'), answer: {} },
      USER,
      { out: initFrame() },
      RESULT,
      EOF,
    ],
    program: async (stage) => {
      const spare = await prewarm({ options: stage.options });
      const options = { cwd: FOLDER, model: 'm', permissionMode: 'plan' } as const;
      await stage.drain(undefined, spare.claim({ prompt: 'Hi', options }));
      await spare.exited;
      return spare.claimed;
    },
    expect: {
      written: [
        request('claim_session', {
          cwd: FOLDER,
          permission_mode: 'plan',
          sdk_mcp_servers: [],
          include_initialize: true,
        }),
        request('set_model', { model: 'm' }),
        userText('Hi'),
      ],
      messages: ['system/init', 'result/success'],
      value: { cwd: FOLDER, sessionId: 's1', parkedMs: 42, sdkMcpSettled: true },
    },
  },
  {
    ids: ['TS-177'],
    name: 'settings are written around the claim; when they are refused, the user frame is never written',
    options: spareOptions,
    cli: [
      { in: expecting('apply_flag_settings'), answer: {} },
      { in: expecting('claim_session'), answer: CLAIMED },
      { in: expecting('apply_flag_settings'), error: 'no such rule' },
      EOF,
    ],
    program: async (stage) => {
      const spare = await prewarm({ options: stage.options });
      const settings = { permissions: { deny: ['x'] }, effortLevel: 'low' as const };
      const run = spare.claim({ prompt: 'Hi', options: { cwd: FOLDER, settings } });
      await stage.drain(undefined, run);
      await spare.exited;
    },
    expect: {
      written: [
        request('apply_flag_settings', { settings: { effortLevel: 'low' } }),
        request('claim_session', CLAIM),
        request('apply_flag_settings', { settings: { permissions: { deny: ['x'] } } }),
      ],
    },
  },
  {
    ids: ['TS-177'],
    name: 'a claim that is refused ends the input; the loop gives the last words and the exit',
    options: spareOptions,
    cli: [
      { in: expecting('claim_session'), error: 'cwd_not_found: no such folder' },
      EOF,
      { out: resultFrame({ subtype: 'error_during_execution', is_error: true, errors: ['not_claimed: no'] }) },
      { exit: 1 },
    ],
    program: async (stage) => {
      const spare = await prewarm({ options: stage.options });
      await stage.drain(undefined, spare.claim({ prompt: 'Hi', options: { cwd: FOLDER } }));
      return spare.claimed.catch((error: Error) => [error.name, error.message]);
    },
    expect: {
      written: [request('claim_session', CLAIM), userText('Hi')],
      messages: ['result/error_during_execution'],
      error: { name: 'ResultError', message: 'not_claimed: no' },
      value: ['ControlRequestError', 'cwd_not_found: no such folder'],
      exitCode: 1,
    },
  },
];
