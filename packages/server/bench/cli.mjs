/**
 * A fake CLI that is up in a millisecond, so that what is measured is the host. It answers every message at once, but for
 * `Ask`, which asks for a permission and waits, and `Defer`, whose call asks the hook and then ends the turn.
 */
import { writeFileSync } from 'node:fs';

export const SESSION = '11111111-1111-4111-8111-111111111111';

/** Messages of one turn, with init and result. */
export const TURN_MESSAGES = 52;

const SCRIPT = `#!/bin/sh
while IFS= read -r line; do
  case $line in
    *'"subtype":"initialize"'*)
      id=\${line#*'"request_id":"'}
      id=\${id%%'"'*}
      hook=\${line#*'"PreToolUse":'}
      hook=\${hook#*'"hookCallbackIds":["'}
      hook=\${hook%%'"'*}
      printf '{"type":"control_response","response":{"subtype":"success","request_id":"%s","response":{"commands":[],"models":[]}}}\\n' "$id"
      ;;
    *'"type":"user"'*'"Ask"'*) echo $$ >"$BENCH_PID"; cat "$BENCH_TURN.ask" ;;
    *'"type":"user"'*'"Defer"'*)
      printf '{"type":"control_request","request_id":"h1","request":{"subtype":"hook_callback","callback_id":"%s","input":{"hook_event_name":"PreToolUse","session_id":"x","transcript_path":"x","cwd":"/","tool_name":"Bash","tool_input":{"command":"deploy"},"tool_use_id":"toolu_1"},"tool_use_id":"toolu_1"}}\\n' "$hook"
      ;;
    *'"request_id":"h1"'*) cat "$BENCH_TURN.deferred" ;;
    *'"type":"user"'*) cat "$BENCH_TURN" ;;
  esac
done
`;

/** @returns the path of the program, and the file of its turn for the variable `BENCH_TURN`. */
export function writeCli(folder) {
  const texts = Array.from({ length: TURN_MESSAGES - 2 }, (_, index) => ({
    type: 'assistant',
    message: { role: 'assistant', content: [{ type: 'text', text: `${index} ${'x'.repeat(500)}` }] },
    parent_tool_use_id: null,
    session_id: SESSION,
  }));
  const init = { type: 'system', subtype: 'init', session_id: SESSION, cwd: folder, tools: [], mcp_servers: [] };
  const result = {
    type: 'result',
    subtype: 'success',
    is_error: false,
    result: 'x',
    session_id: SESSION,
    num_turns: 1,
  };
  const call = { id: 'toolu_1', name: 'Bash', input: { command: 'deploy' } };
  const use = { ...texts[0], message: { role: 'assistant', content: [{ type: 'tool_use', ...call }] } };
  const request = { subtype: 'can_use_tool', tool_name: call.name, input: call.input, tool_use_id: call.id };
  const ask = { type: 'control_request', request_id: 'p1', request };
  const deferred = {
    ...result,
    stop_reason: 'tool_deferred',
    terminal_reason: 'tool_deferred',
    deferred_tool_use: call,
  };
  const path = `${folder}/cli`;
  const turn = `${folder}/turn.jsonl`;
  const write = (file, frames) => writeFileSync(file, frames.map((frame) => `${JSON.stringify(frame)}\n`).join(''));
  write(turn, [init, ...texts, result]);
  write(`${turn}.ask`, [init, use, ask]);
  write(`${turn}.deferred`, [init, use, deferred]);
  writeFileSync(path, SCRIPT, { mode: 0o755 });
  return { path, turn };
}
