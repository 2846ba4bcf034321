/** A fake CLI that is up in a millisecond, so that what is measured is the host. It answers every message at once. */
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
      printf '{"type":"control_response","response":{"subtype":"success","request_id":"%s","response":{"commands":[],"models":[]}}}\\n' "$id"
      ;;
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
  const path = `${folder}/cli`;
  const turn = `${folder}/turn.jsonl`;
  writeFileSync(turn, [init, ...texts, result].map((frame) => `${JSON.stringify(frame)}\n`).join(''));
  writeFileSync(path, SCRIPT, { mode: 0o755 });
  return { path, turn };
}
