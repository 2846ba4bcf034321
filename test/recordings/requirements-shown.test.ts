import { describe, expect, test } from 'vitest';
import { readRequirements } from '../../packages/conformance/test/requirements.js';
import type { JsonObject } from '../../src/util/json.js';
import { inner, type Process, processesNamed } from './processes.js';

/*
 * Statements about the CLI that hold in one situation: each is looked up in the recordings that show it. What holds
 * everywhere is in requirements.test.ts.
 */

const results = ({ out }: Process): JsonObject[] => out.filter(({ type }) => type === 'result');
const of = (process: Process, subtype: string): JsonObject[] =>
  process.out.filter((frame) => frame.subtype === subtype);
const requests = (process: Process, subtype: string): JsonObject[] =>
  process.out.filter((frame) => inner(frame, 'request').subtype === subtype);
const texts = (value: unknown): string => JSON.stringify(value);
/** Errors among the tool results. */
const failedCalls = ({ out }: Process): JsonObject[] =>
  out
    .filter(({ type }) => type === 'user')
    .flatMap((frame) => inner(frame, 'message').content as JsonObject[])
    .filter((block) => block.is_error === true);
const written = ({ lines }: Process, type: string): JsonObject[] =>
  lines
    .filter(({ dir }) => dir === 'in')
    .map(({ data }) => data as JsonObject)
    .filter((frame) => frame?.type === type);
/** The answers of the CLI to our requests of a subtype. */
function answersTo(process: Process, subtype: string): JsonObject[] {
  const ids = written(process, 'control_request')
    .filter((frame) => inner(frame, 'request').subtype === subtype)
    .map((frame) => frame.request_id);
  return process.out.map((frame) => inner(frame, 'response')).filter((response) => ids.includes(response.request_id));
}
const denials = (process: Process): number => {
  const list = results(process)[0]?.permission_denials;
  return Array.isArray(list) ? list.length : 0;
};
const isWhole = ({ subtype, is_error }: JsonObject): boolean => subtype === 'success' && is_error === false;
/** Where a frame stands among those of stdout; -1 when it is not there. */
const at = ({ out }: Process, is: (frame: JsonObject) => boolean): number => out.findIndex(is);
const failedStart = ({ out, exit, lines }: Process): boolean =>
  out.length === 0 && exit.code === 1 && lines.some(({ dir }) => dir === 'err');

type Shows = (process: Process, all: readonly Process[]) => boolean;

const SHOWN: readonly (readonly [id: string, recordings: readonly string[], shows: Shows])[] = [
  ['L0-22', ['odd-frames'], (p) => results(p).every(isWhole) && p.exit.code === 0],
  ['L0-23', ['eof-partial-line'], (p) => results(p).length === 1 && isWhole(results(p)[0] ?? {})],
  ['L0-24', ['malformed-json-first'], failedStart],
  ['L0-24', ['malformed-json'], (p) => p.exit.code === 1],
  ['L0-25', ['bad-user-message'], (p) => p.exit.code === 1],
  ['L0-26', ['no-verbose', 'print-no-verbose'], failedStart],
  ['L0-27', ['bad-flag', 'bad-permission-mode', 'bad-settings', 'bad-mcp-config'], failedStart],
  ['L1-26', ['eof-at-once'], (p) => p.out.length === 0 && p.exit.code === 0],
  ['L1-26', ['initialize-only'], (p) => p.out.every(({ type }) => type === 'control_response')],
  [
    'L1-27',
    ['hello', 'control-before-initialize'],
    (p) => isWhole(results(p)[0] ?? {}) && !p.lines.some(({ data }) => inner(data, 'request').subtype === 'initialize'),
  ],
  [
    'L1-31',
    ['partial-messages', 'thinking-partial'],
    (p) => {
      const block = at(p, ({ type }) => type === 'assistant');
      const stop = at(p, (frame) => inner(frame, 'event').type === 'content_block_stop');
      return block !== -1 && block < stop;
    },
  ],
  [
    'L1-37',
    ['api-500-exhausted', 'api-401'],
    (p) => {
      const said = at(p, ({ type, error }) => type === 'assistant' && typeof error === 'string');
      return said !== -1 && said < at(p, ({ type }) => type === 'result');
    },
  ],
  [
    'L1-38',
    ['api-429-retry-then-ok', 'api-truncated-stream', 'api-529-fallback-model'],
    (p) => results(p).length === 1 && results(p).every(isWhole),
  ],
  ['L1-39', ['structured-output'], (p) => Object.hasOwn(results(p)[0] ?? {}, 'structured_output')],
  [
    'L1-39',
    ['structured-output-text-only'],
    (p) => isWhole(results(p)[0] ?? {}) && !texts(results(p)).includes('structured_output'),
  ],
  ['L1-40', ['max-turns'], (p) => results(p)[0]?.subtype === 'error_max_turns'],
  ['L1-40', ['max-budget'], (p) => results(p)[0]?.subtype === 'error_max_budget_usd'],
  ['L2-17', ['pipelined-messages', 'queued-messages'], (p) => results(p).length < written(p, 'user').length],
  ['L2-18', ['message-during-tool'], (p) => written(p, 'user').length === 2 && results(p).length === 1],
  ['L2-19', ['pipelined-messages-eof'], (p) => results(p).length > 1 && results(p).every(isWhole)],
  [
    'L2-22',
    ['bash-background', 'subagent-background'],
    (p) => results(p).some((result) => inner(result, 'origin').kind === 'task-notification'),
  ],
  [
    'L2-23',
    ['subagent', 'subagent-foreground'],
    (p) => {
      const parents = new Set(p.out.map((frame) => frame.parent_tool_use_id));
      parents.delete(null);
      parents.delete(undefined);
      return parents.size > 0 && [...parents].every((id) => texts(p.out).includes(`"id":"${id}"`));
    },
  ],
  [
    'L2-25',
    ['subagent-eof'],
    (p) => {
      const done = at(p, ({ subtype }) => subtype === 'task_notification');
      return done !== -1 && done < at(p, ({ type }) => type === 'result');
    },
  ],
  [
    'L2-26',
    ['multi-turn'],
    (p) => {
      const costs = results(p).map((result) => Number(result.total_cost_usd));
      return costs.length > 1 && costs.every((cost, index) => index === 0 || cost > Number(costs[index - 1]));
    },
  ],
  [
    'L2-26',
    ['resume'],
    (_, all) => {
      const [first, second] = all.map((one) => Number(results(one)[0]?.total_cost_usd));
      return Number(second) > Number(first);
    },
  ],
  [
    'L2-27',
    ['slash-commands', 'hook-session-clear'],
    (p) => {
      const reset = at(p, ({ type }) => type === 'conversation_reset');
      const next = p.out.slice(reset + 1).find(({ type }) => type === 'result');
      return reset !== -1 && next?.session_id !== p.out.find(({ session_id: id }) => id)?.session_id;
    },
  ],
  [
    'L2-28',
    ['compact-manual-fails'],
    (p) => of(p, 'status').some(({ compact_result: how }) => how === 'failed') && results(p).at(-1)?.is_error === false,
  ],
  [
    'L3-30',
    ['unknown-control-request'],
    (p) => {
      const refused = answersTo(p, 'no_such_subtype');
      return refused.length === 1 && refused[0]?.error_code === 'unsupported_request' && p.exit.code === 0;
    },
  ],
  [
    'L3-31',
    ['set-model-mid-turn'],
    (p) => {
      const answered = at(p, (frame) => typeof inner(inner(frame, 'response'), 'response').model === 'string');
      return answered !== -1 && answered < at(p, ({ type }) => type === 'result');
    },
  ],
  [
    'L3-32',
    ['interrupt-streaming', 'interrupt-bash', 'can-use-tool-cancel-by-interrupt', 'hook-interrupt'],
    (p) => {
      const answered = at(p, (frame) => Array.isArray(inner(inner(frame, 'response'), 'response').still_queued));
      const ended = at(p, ({ subtype }) => subtype === 'error_during_execution');
      const cancelled = p.out.findLastIndex(({ type }) => type === 'control_cancel_request');
      return answered !== -1 && cancelled < answered && answered < ended;
    },
  ],
  [
    'L3-33',
    ['interrupt-streaming', 'interrupt-bash'],
    (p) =>
      of(p, 'error_during_execution').length > 0 &&
      of(p, 'error_during_execution').every(({ is_error: wrong }) => wrong === true),
  ],
  ['L3-34', ['interrupt-idle'], (p) => answersTo(p, 'interrupt').length > 0 && results(p).every(isWhole)],
  [
    'L3-36',
    ['set-permission-mode'],
    (p) => {
      const answers = answersTo(p, 'set_permission_mode');
      const taken = answers.filter(({ subtype }) => subtype === 'success');
      const refused = answers.filter(({ subtype }) => subtype === 'error');
      return (
        of(p, 'status').filter((frame) => frame.permissionMode !== undefined).length >= taken.length &&
        refused.length > 0 &&
        refused.every(({ error_code: code }) => typeof code === 'string')
      );
    },
  ],
  [
    'L3-37',
    ['initialize-bad'],
    (p) =>
      texts(answersTo(p, 'initialize').map(({ subtype }) => subtype)) === '["error","success"]' &&
      results(p).every(isWhole),
  ],
  ['L3-38', ['initialize-options'], (p) => answersTo(p, 'initialize').length === 2],
  ['L3-39', ['end-session'], (p) => answersTo(p, 'end_session').length === 1 && p.exit.code === 0],
  [
    'L3-40',
    ['await-initialize-not-first'],
    (p) => results(p)[0]?.startup_failure_reason === 'initialize_not_first' && p.exit.code === 1,
  ],
  [
    'L4-35',
    ['bash-no-permission-host'],
    (p) => of(p, 'permission_denied').length > 0 && denials(p) > 0 && requests(p, 'can_use_tool').length === 0,
  ],
  ['L4-37', ['can-use-tool-allow-bare'], (p) => failedCalls(p).length === 0 && isWhole(results(p)[0] ?? {})],
  [
    'L4-39',
    ['can-use-tool-deny'],
    (p) => failedCalls(p).length === 1 && isWhole(results(p)[0] ?? {}) && denials(p) === 1,
  ],
  ['L4-40', ['can-use-tool-deny-interrupt'], (p) => results(p)[0]?.terminal_reason === 'aborted_tools'],
  ['L4-41', ['can-use-tool-error', 'can-use-tool-bad-shape'], (p) => failedCalls(p).length > 0],
  [
    'L4-43',
    ['can-use-tool-parallel-reads', 'mcp-sdk-parallel'],
    (p) => {
      const kinds = p.lines.flatMap(({ dir, data }) => {
        const asked = /^(can_use_tool|mcp_message)$/.test(String(inner(data, 'request').subtype));
        const isCall = inner(inner(data, 'request'), 'message').method === 'tools/call';
        if (dir === 'out' && asked && (inner(data, 'request').tool_name !== undefined || isCall)) return ['asked'];
        return dir === 'in' && inner(data, 'response').subtype !== undefined ? ['answered'] : [];
      });
      return kinds.join().includes('asked,asked');
    },
  ],
  ['L4-45', ['hook-conflict'], (p) => failedCalls(p).length === 1],
  ['L4-46', ['hook-error', 'hook-bad-shape'], (p) => failedCalls(p).length === 0],
  ['L4-46', ['hook-error-block'], (p) => failedCalls(p).length === 1],
  [
    'L4-47',
    ['hook-timeout'],
    (p) => p.out.some(({ type }) => type === 'control_cancel_request') && failedCalls(p).length === 1,
  ],
  [
    'L4-48',
    ['hook-continue-false'],
    (p) => failedCalls(p).length === 0 && results(p)[0]?.terminal_reason === 'hook_stopped',
  ],
  [
    'L4-49',
    ['hook-session-start'],
    (p) => texts(written(p, 'control_request')).includes('SessionStart') && requests(p, 'hook_callback').length === 0,
  ],
  [
    'L4-50',
    ['can-use-tool-eof', 'hook-never-answered-eof', 'eof-then-hook'],
    (p) => failedCalls(p).length > 0 && p.exit.code === 0,
  ],
  [
    'L5-27',
    ['mcp-sdk', 'mcp-sdk-argv'],
    (p) =>
      texts(
        requests(p, 'mcp_message')
          .map((frame) => inner(inner(frame, 'request'), 'message').method)
          .slice(0, 4),
      ) === '["initialize","notifications/initialized","tools/list","tools/call"]',
  ],
  [
    'L5-29',
    ['mcp-sdk-manifests'],
    (p) => {
      const asked = requests(p, 'mcp_message').map((frame) => inner(frame, 'request'));
      const methods = asked
        .filter(({ server_name: name }) => name === 'calc')
        .map((request) => inner(request, 'message').method);
      return methods.length > 0 && methods.every((method) => method === 'tools/call');
    },
  ],
  ['L5-31', ['mcp-sdk-init-fails', 'mcp-sdk-never-answers'], (p) => isWhole(results(p)[0] ?? {})],
  [
    'L5-32',
    ['mcp-sdk-call-timeout', 'mcp-sdk-interrupt'],
    (p) =>
      texts(requests(p, 'mcp_message')).includes('notifications/cancelled') &&
      !p.out.some(({ type }) => type === 'control_cancel_request'),
  ],
  [
    'L5-34',
    ['mcp-sdk-server-messages'],
    (p) => {
      const answers = answersTo(p, 'mcp_message');
      return answers.length > 0 && answers.every((one) => one.subtype === 'success' && !('response' in one));
    },
  ],
  [
    'L6-24',
    ['resume'],
    (_, all) => all.length === 2 && new Set(all.map((one) => results(one)[0]?.session_id)).size === 1,
  ],
  ['L6-24', ['fork'], (_, all) => new Set(all.map((one) => results(one)[0]?.session_id)).size === 2],
  ['L6-26', ['resume-missing'], (p) => results(p)[0]?.is_error === true && p.exit.code === 1],
  [
    'L6-30',
    ['resume-after-kill'],
    (_, all) => {
      const last = all.at(-1);
      return last !== undefined && results(last).length === 1 && results(last).every(isWhole);
    },
  ],
  ['L7-25', ['eof-before-result', 'eof-mid-tool'], (p) => results(p).length === 1],
  ['L7-27', ['sigterm-streaming', 'sigterm-bash'], (p) => p.exit.code === 143 && results(p).length === 0],
  ['L7-28', ['sigint-streaming'], (p) => results(p).length === 1 && p.exit.code === 0],
  ['L7-31', ['error-then-next-turn'], (p) => results(p)[0]?.is_error === true && p.exit.code === 0],
  ['L8-15', ['large-text'], (p) => p.out.some((frame) => frame.type === 'assistant')],
  [
    'L8-19',
    ['tool-progress', 'hook-default-timeout'],
    (p) => p.out.some(({ type, heartbeat }) => type === 'tool_progress' && heartbeat === true),
  ],
  [
    'L8-20',
    ['keep-alive-idle', 'slow-api', 'keep-alive-long-request'],
    (p) => !p.out.some(({ type }) => type === 'keep_alive'),
  ],
];

describe.each(SHOWN.flatMap(([id, names, shows]) => names.map((name) => ({ id, name, shows }))))(
  '$id in $name',
  ({ id, name, shows }) => {
    const requirement = readRequirements().find((one) => one.id === id);

    test(requirement?.text ?? 'no such requirement', () => {
      expect(requirement?.party).toBe('cli');
      expect(requirement?.source).toContain(`recording:${name}`);
      const all = processesNamed(name);
      expect(all.filter((process) => !shows(process, all))).toEqual([]);
    });
  },
);

test('no check holds for every recording: each can fail', () => {
  const everything = ['hello', 'bad-flag', 'can-use-tool-deny', 'startup-marks', 'sigterm-streaming', 'subagent'];
  const always = SHOWN.filter(([, , shows]) =>
    everything.every((name) => {
      const all = processesNamed(name);
      return all.every((process) => shows(process, all));
    }),
  );
  expect(always.map(([id]) => id)).toEqual([]);
});
