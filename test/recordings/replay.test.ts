import { describe, expect, test } from 'vitest';
import type { ProcessExit } from '../../src/errors.js';
import { isJsonObject, type JsonObject } from '../../src/util/json.js';
import { frameName, processesOf, type RecordedLine, readManifest, readRecording, recordingNames } from './load.js';
import { recordedAnswers, recordedFrames, replay } from './replay.js';

const manifest = readManifest();

/** What the session noticed and went on from. Any other diagnostic is a defect. */
const DIAGNOSTICS: Readonly<Record<string, readonly string[]>> = {
  'stdout-closed': ['messages_unanswered'],
  // The host's bad answers, which ours tells of and replaces.
  'can-use-tool-bad-shape': ['callback_result_invalid', 'callback_result_invalid'],
  'hook-bad-shape': ['callback_result_invalid'],
  // Error answers: callbacks of ours that throw.
  'can-use-tool-error': ['callback_threw'],
  elicitation: ['callback_threw'],
  'hook-error': ['callback_threw'],
  'hook-error-block': ['callback_threw'],
  // The replay's host has nothing to think about, so it has answered before the CLI takes the question back.
  'can-use-tool-cancel-by-interrupt': ['cancel_unknown'],
  'hook-permission-request': ['cancel_unknown'],
  // The answer to a request without a subtype, which a session cannot send.
  'unknown-control-request': ['response_unknown'],
};

/** Where our answer is, on purpose, not the recording's: bad results fail closed (docs/evidence/differences.md, D-16). */
const OTHER_ANSWERS: Readonly<Record<string, readonly JsonObject[]>> = {
  'can-use-tool-bad-shape': [denied('undefined'), denied('string "maybe"')],
  'hook-bad-shape': [
    {
      hookSpecificOutput: {
        hookEventName: 'PreToolUse',
        permissionDecision: 'deny',
        permissionDecisionReason:
          "The PreToolUse hook hook_PreToolUse gave a result that is not a hook output: `decision` must be 'approve' or 'block', got number 5",
      },
    },
  ],
};

function denied(what: string): JsonObject {
  return {
    behavior: 'deny',
    message: `canUseTool must return {behavior: 'allow', updatedInput?: object}, {behavior: 'deny', message: string} or null; it returned an object with behavior ${what}`,
  };
}

describe.each(recordingNames)('recording %s', (name) => {
  test('a session gives every message, writes what its host wrote, and answers as its host answered', async () => {
    const counts: Record<string, number> = {};
    const diagnostics: string[] = [];
    let hidden = 0;
    for (const { proc, exit } of processesOf(name)) {
      const lines = linesOf(name, proc);
      const seen = await replay(lines, exit);
      for (const message of seen.messages) {
        counts[frameName(message)] = (counts[frameName(message)] ?? 0) + 1;
      }
      diagnostics.push(...seen.diagnostics.map(({ code }) => code));
      hidden += lines.filter(({ dir, data }) => dir === 'out' && isForHostOnly(data)).length;
      expect(seen.written).toEqual(recordedFrames(lines));
      expect(nameOf(seen.error)).toBe(expectedError(seen.messages, exit));
      const answers = [...seen.answers].map(([id, body]) => [id, withoutToolUseId(body)]);
      expect(Object.fromEntries(answers)).toEqual(expectedAnswers(name, lines));
    }
    expect(diagnostics).toEqual(DIAGNOSTICS[name] ?? []);
    expect(counts).toEqual(shown(manifest[name]!.out, hidden));
  });
});

function linesOf(name: string, proc: number): readonly RecordedLine[] {
  return readRecording(name)
    .slice(1)
    .filter((line) => (line.proc ?? 1) === proc);
}

function nameOf(error: unknown): string | undefined {
  return error instanceof Error ? error.name : undefined;
}

/** A bad exit is an error, and one that an error result has announced is that result's (TS-152 to TS-156). */
function expectedError(messages: readonly JsonObject[], exit: ProcessExit): string | undefined {
  if (exit.exitCode === 0) return undefined;
  const result = messages.findLast(({ type }) => type === 'result');
  return result?.is_error === true ? 'ResultError' : 'ProcessError';
}

/** The manifest's counts without what a loop never gives. */
function shown(out: Readonly<Record<string, number>>, hidden: number): Record<string, number> {
  const counts = Object.entries(out)
    .filter(([type]) => !type.startsWith('control_') && type !== 'keep_alive')
    .map(([type, count]): [string, number] => [type, type === 'system/session_state_changed' ? count - hidden : count]);
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

function isForHostOnly(data: unknown): boolean {
  return isJsonObject(data) && data.subtype === 'session_state_changed' && data.sdk_host_only === true;
}

/** The recording's answers, but for what is stated above, and for MCP messages that want no reply: ours to them is always the same. */
function expectedAnswers(name: string, lines: readonly RecordedLine[]): Record<string, JsonObject> {
  const answers = new Map([...recordedAnswers(lines)].map(([id, body]) => [id, withoutToolUseId(body)]));
  const asked = new Set<string>();
  for (const { dir, data } of lines) {
    if (dir !== 'out' || !isJsonObject(data) || data.type !== 'control_request') continue;
    const id = String(data.request_id);
    asked.add(id);
    const { message, input } = data.request as JsonObject;
    // Ours sends the input along where a host allowed without one.
    const given = answers.get(id)?.response;
    if (isJsonObject(given) && given.behavior === 'allow' && !('updatedInput' in given)) {
      answers.set(id, { ...answers.get(id), response: { ...given, updatedInput: input } });
    }
    if (!isJsonObject(message) || ('id' in message && 'method' in message)) continue;
    const response = { mcp_response: { jsonrpc: '2.0', result: {}, id: 0 } };
    answers.set(id, { subtype: 'success', request_id: id, response });
  }
  // A host that answered what nobody asked.
  for (const id of answers.keys()) if (!asked.has(id)) answers.delete(id);
  const ids = [...answers.keys()];
  for (const [index, response] of (OTHER_ANSWERS[name] ?? []).entries()) {
    const id = ids[index] ?? '';
    answers.set(id, { subtype: 'success', request_id: id, response });
  }
  return Object.fromEntries(answers);
}

/** Ours names the tool use in every permission answer, as the official SDK does; hosts that were written by hand did not. */
function withoutToolUseId(body: JsonObject): JsonObject {
  const response = body.response;
  if (!isJsonObject(response) || !('toolUseID' in response)) return body;
  const { toolUseID: _, ...rest } = response;
  return { ...body, response: rest };
}

test('every exception names a recording', () => {
  const exceptions = [...Object.keys(DIAGNOSTICS), ...Object.keys(OTHER_ANSWERS)];
  expect(exceptions.filter((name) => !recordingNames.includes(name))).toEqual([]);
});

test('an answer, a message or a request that is not the recording’s would be seen', async () => {
  const [process] = processesOf('can-use-tool-allow');
  const lines = linesOf('can-use-tool-allow', 1).map((line): RecordedLine => {
    const text = JSON.stringify(line).replace('"behavior":"allow"', '"behavior":"deny"');
    return JSON.parse(text) as RecordedLine;
  });
  const seen = await replay(lines, process!.exit);
  const answers = [...seen.answers].map(([id, body]) => [id, withoutToolUseId(body)]);
  expect(Object.fromEntries(answers)).not.toEqual(
    expectedAnswers('can-use-tool-allow', linesOf('can-use-tool-allow', 1)),
  );
});
