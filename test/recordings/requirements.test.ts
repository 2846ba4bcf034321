import { describe, expect, test } from 'vitest';
import { readRequirements } from '../../packages/conformance/test/requirements.js';
import { isJsonObject, type JsonObject } from '../../src/util/json.js';
import type { RecordedLine } from './load.js';
import { inner, type Process, processes } from './processes.js';

const isControl = ({ type }: JsonObject): boolean => String(type).startsWith('control_');
const isInit = ({ type, subtype }: JsonObject): boolean => type === 'system' && subtype === 'init';
const isMain = (frame: JsonObject): boolean =>
  /^(assistant|user|stream_event)$/.test(String(frame.type)) && frame.parent_tool_use_id === null;

/** Of each statement: what it looks at, and where it does not hold. */
interface Rule {
  readonly id: string;
  /** How often the statement could have been broken. */
  readonly cases: (process: Process) => readonly unknown[];
  readonly broken: (process: Process) => readonly unknown[];
}

function overFrames(id: string, applies: (frame: JsonObject) => boolean, holds: (frame: JsonObject) => boolean): Rule {
  const cases = ({ out }: Process): readonly JsonObject[] => out.filter(applies);
  return { id, cases, broken: (process) => cases(process).filter((frame) => !holds(frame)) };
}

/** What each turn of a process consists of, cut after its result. A turn that was killed is left out. */
function turnsOf({ out }: Process): JsonObject[][] {
  const ends = out.flatMap(({ type }, index) => (type === 'result' ? [index] : []));
  return ends.map((end, index) => out.slice((ends[index - 1] ?? -1) + 1, end + 1));
}

/** Requests written by one side, with the answers of the other. */
function answers({ lines }: Process, asker: 'in' | 'out'): { id: unknown; answers: number }[] {
  const answerer = asker === 'in' ? 'out' : 'in';
  const of = (dir: string, type: string): JsonObject[] =>
    lines
      .filter((line) => line.dir === dir && isJsonObject(line.data) && line.data.type === type)
      .map(({ data }) => data as JsonObject);
  const answered = of(answerer, 'control_response').map((frame) => inner(frame, 'response'));
  return of(asker, 'control_request')
    .filter(({ request_id }) => request_id !== undefined)
    .map(({ request_id: id }) => ({ id, answers: answered.filter(({ request_id }) => request_id === id).length }));
}

const RULES: readonly Rule[] = [
  overFrames('L0-19', () => true, isJsonObject),
  overFrames(
    'L0-20',
    (frame) => !isControl(frame) && frame.type !== 'keep_alive',
    ({ uuid, session_id }) => typeof uuid === 'string' && typeof session_id === 'string',
  ),
  {
    id: 'L1-28',
    cases: turnsOf,
    // Agents in the background write before the turn that tells of them.
    broken: (process) =>
      turnsOf(process).filter((turn) => {
        const init = turn.findIndex(isInit);
        const assistant = turn.findIndex((frame) => frame.type === 'assistant' && isMain(frame));
        return assistant !== -1 && (init === -1 || init > assistant);
      }),
  },
  {
    id: 'L1-29',
    cases: turnsOf,
    broken: (process) => {
      const ended = process.exit.code === 143 || process.exit.signal !== null;
      const last = process.out.findLastIndex(({ type }) => type === 'result');
      const rest = process.out.slice(last + 1).filter(isMain);
      return ended || last === -1 ? [] : rest;
    },
  },
  overFrames(
    'L1-30',
    ({ type }) => type === 'assistant',
    (frame) => (inner(frame, 'message').content as unknown[]).length === 1,
  ),
  overFrames(
    'L1-33',
    ({ type, subtype }) => type === 'result' && subtype !== 'success',
    (frame) => Array.isArray(frame.errors) && !Object.hasOwn(frame, 'result'),
  ),
  {
    id: 'L1-34',
    cases: ({ out }) => out.filter(({ type }) => type === 'result'),
    broken: ({ out }) =>
      out.filter(({ type }) => type === 'result').filter(({ result_index: index }, at) => index !== at),
  },
  {
    id: 'L1-35',
    cases: ({ out, exit }) => (exit.signal === null ? out.filter(({ type }) => type === 'result') : []),
    broken: ({ name, out, exit }) => {
      const last = out.findLast(({ type }) => type === 'result');
      const byOtherMeans = exit.code === 143 || exit.signal !== null || /^sig|malformed|bad-user/.test(name);
      if (last === undefined || byOtherMeans) return [];
      return (exit.code === 0) === (last.is_error === false) ? [] : [last];
    },
  },
  {
    id: 'L1-36',
    cases: ({ out }) => out.filter(({ subtype }) => subtype === 'api_retry'),
    broken: ({ out }) => {
      const attempts = out.filter(({ subtype }) => subtype === 'api_retry').map((f) => f.attempt);
      return attempts.filter((attempt, at) => attempt !== 1 && attempt !== Number(attempts[at - 1]) + 1);
    },
  },
  overFrames(
    'L1-32',
    ({ type, subtype, is_error }) => type === 'result' && subtype === 'success' && is_error === true,
    ({ result, terminal_reason: why }) =>
      typeof result === 'string' && /^(api_error|prompt_too_long)$/.test(String(why)),
  ),
  overFrames('L1-41', isInit, ({ claude_code_version: version }) => version === '2.1.330'),
  {
    id: 'L2-20',
    cases: ({ out }) => out.filter(isInit).slice(1),
    // When stdin has ended, results are held back while background work runs (L2-25).
    broken: (process) =>
      /-eof$/.test(process.name) ? [] : turnsOf(process).filter((turn) => turn.filter(isInit).length > 1),
  },
  {
    id: 'L2-21',
    cases: ({ out }) => out.filter(({ type }) => type === 'command_lifecycle'),
    broken: ({ out }) => {
      const frames = out.filter(({ type }) => type === 'command_lifecycle');
      const lastOf = new Map(frames.map((frame) => [frame.command_uuid, frame.state]));
      return [...lastOf.values()].filter((state) => state !== 'completed' && state !== 'cancelled');
    },
  },
  overFrames(
    'L2-24',
    ({ type }) => type === 'stream_event',
    ({ parent_tool_use_id: parent }) => parent === null,
  ),
  {
    id: 'L3-28',
    cases: (process) => answers(process, 'in'),
    broken: (process) => answers(process, 'in').filter((request) => request.answers > 1),
  },
  overFrames(
    'L3-29',
    (frame) => inner(frame, 'response').subtype === 'success',
    (frame) => {
      const response = inner(frame, 'response');
      return !Object.hasOwn(response, 'response') || isJsonObject(response.response);
    },
  ),
  {
    id: 'L4-36',
    cases: questionsOf,
    broken: (process) =>
      questionsOf(process).filter(({ id, at, name }) => {
        // A host of the sandbox is asked about under an id of its own.
        if (name === 'SandboxNetworkAccess') return false;
        return !process.out.slice(0, at).some((frame) => callsOf(frame).includes(id));
      }),
  },
  {
    id: 'L4-44',
    cases: ({ out }) => out.filter((frame) => inner(frame, 'request').subtype === 'hook_callback'),
    broken: ({ lines, out }) => {
      const registered = new Set(lines.flatMap(({ dir, data }) => (dir === 'in' ? hookIdsOf(data) : [])));
      return out
        .map((frame) => inner(frame, 'request'))
        .filter(({ subtype }) => subtype === 'hook_callback')
        .filter(
          ({ callback_id: id, input }) =>
            !registered.has(id) || typeof (input as JsonObject).hook_event_name !== 'string',
        );
    },
  },
  {
    id: 'L4-51',
    cases: ({ out }) => out.filter(({ type }) => type === 'control_cancel_request'),
    broken: ({ lines }) =>
      lines.filter(({ dir, data }, at) => {
        if (dir !== 'out' || (data as JsonObject).type !== 'control_cancel_request') return false;
        const id = (data as JsonObject).request_id;
        const before = lines.slice(0, at).map((line) => line.data as JsonObject);
        const asked = before.some((frame) => frame.request_id === id);
        const answered = before.some((frame) => inner(frame, 'response').request_id === id);
        return !asked || answered;
      }),
  },
];

function questionsOf({ out }: Process): { id: unknown; name: unknown; at: number }[] {
  return out.flatMap((frame, at) => {
    const request = inner(frame, 'request');
    if (request.subtype !== 'can_use_tool') return [];
    return [{ id: request.tool_use_id, name: request.tool_name, at }];
  });
}

function callsOf(frame: JsonObject): unknown[] {
  const content = inner(frame, 'message').content;
  return Array.isArray(content) ? content.map((block: JsonObject) => block.id) : [];
}

function hookIdsOf(data: RecordedLine['data']): unknown[] {
  const hooks = isJsonObject(data) ? inner(data, 'request').hooks : undefined;
  if (!isJsonObject(hooks)) return [];
  return Object.values(hooks)
    .flat()
    .flatMap((matcher) => (matcher as { hookCallbackIds: string[] }).hookCallbackIds);
}

describe.each(RULES)('$id, over all recordings', ({ id, cases, broken }) => {
  const text = readRequirements().find((one) => one.id === id)?.text ?? 'no such requirement';

  test(text, () => {
    expect(processes.flatMap(cases).length).toBeGreaterThan(1);
    const found = processes.flatMap((process) =>
      broken(process).map((what) => `${process.name}: ${JSON.stringify(what).slice(0, 200)}`),
    );
    expect(found).toEqual([]);
  });
});
