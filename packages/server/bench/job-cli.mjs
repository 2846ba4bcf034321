/**
 * A mode of the fake CLI beside this file, for jobs: it keeps a transcript, so that it can be resumed, and writes to a
 * ledger when a turn begins and ends. Words in the prompt choose what a first turn does; a resumed one just answers. The
 * ids of stored calls and answers are that of the prompt with a `c` or an `a` behind it.
 *
 * - `Hang`: waits to be interrupted. `Deaf`: takes no interrupt either.
 * - `Cut`: asks the PreToolUse hook, stores the call, and waits: whoever ends it has cut the tool in the middle.
 *   What is interrupted stores the result that the CLI writes, 2.1.332: that the user rejected it.
 * - `Later`: as `Cut`, once the file `$JOB_LEDGER.go` is there.
 * - `Tool`: as `Cut`, but the result of the tool is stored before it waits.
 * - `Answered`: stores the answer and waits, without a result.
 * - `Limit`: a 429 that resets at `$JOB_RESETS_AT`, in seconds of the epoch. `Overloaded`: a 529.
 * - `Leak`: an error that shows a key. `Say`: an answer and an event that show it.
 */
import { writeFileSync } from 'node:fs';

const SCRIPT = `#!/bin/sh
sid= resumed=
for arg in "$@"; do
  case $arg in
    --session-id=*) sid=\${arg#*=} ;;
    --resume=*) sid=\${arg#*=} resumed=1 ;;
  esac
done
idOf() { id=\${line#*'"request_id":"'}; id=\${id%%'"'*}; }
say() { printf '%s\\n' "$1"; }
note() { [ -z "$JOB_LEDGER" ] || printf '%s %s %s\\n' "$1" "$sid" "$$" >>"$JOB_LEDGER"; }
mirror() { say '{"type":"transcript_mirror","filePath":"'"$CLAUDE_CONFIG_DIR"'/projects/p/'"$sid"'.jsonl","entries":['"$1"']}'; }
assistant() {
  entry='{"type":"assistant","uuid":"'"$uuid$1"'","parentUuid":"'"$uuid"'","sessionId":"'"$sid"'","isSidechain":false,"message":{"id":"m'"$uuid$1"'","role":"assistant","model":"m","stop_reason":"'"$2"'","content":['"$3"']}}'
  say '{"type":"assistant","session_id":"'"$sid"'","uuid":"'"$uuid$1"'","parent_tool_use_id":null,"message":{"id":"m'"$uuid$1"'","role":"assistant","model":"m","content":['"$3"']}}'
  mirror "$entry"
}
result() { say '{"type":"result","subtype":"success","is_error":false,"result":"'"$1"'","session_id":"'"$sid"'","num_turns":1,"total_cost_usd":0.01,"usage":{"input_tokens":1,"output_tokens":1},"terminal_reason":"completed"}'; }
failed() { say '{"type":"result","subtype":"success","is_error":true,"result":"'"$1"'","api_error_status":'"$2"',"session_id":"'"$sid"'","num_turns":1,"terminal_reason":"api_error"}'; }
# One that died with its host, in the middle of a line, leaves its lock: only a live one runs beside this one.
lives() {
  kill -0 "$1" 2>/dev/null || return 1
  read -r stat 2>/dev/null <"/proc/$1/stat" || return 0
  # Dead, and waited for by nobody yet.
  case $stat in *') Z '*) return 1 ;; esac
}
hold() {
  other=
  if ! mkdir "$JOB_LEDGER.$sid" 2>/dev/null; then
    read -r other 2>/dev/null <"$JOB_LEDGER.$sid.pid"
    lives "\${other:-$$}" && { note double; return; }
  fi
  lock="$JOB_LEDGER.$sid"
  printf '%s\\n' "$$" >"$lock.pid"
}
finish() { note end; rmdir "$lock" 2>/dev/null; lock=; }
lock=
trap '[ -z "$lock" ] || rmdir "$lock" 2>/dev/null; exit 143' TERM
call='{"type":"tool_use","id":"toolu_1","name":"Bash","input":{"command":"deploy"}}'
tool='{"type":"user","uuid":"tool","sessionId":"'$sid'","isSidechain":false,"message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"deployed"}]}}'
rejected='{"type":"user","uuid":"rejected","sessionId":"'$sid'","isSidechain":false,"version":"2.1.332","toolDenialKind":"user-rejected","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","is_error":true,"content":"The user rejected it."}]}}'
answer() { assistant a end_turn '{"type":"text","text":"'"$1"'"}'; }
while IFS= read -r line; do
  case $line in
    *'"subtype":"initialize"'*)
      idOf
      hook=\${line#*'"hookCallbackIds":["'}
      hook=\${hook%%'"'*}
      say '{"type":"control_response","response":{"subtype":"success","request_id":"'"$id"'","response":{"commands":[],"models":[]}}}'
      ;;
    *'"subtype":"interrupt"'*)
      [ "$mode" = deaf ] && continue
      idOf
      say '{"type":"control_response","response":{"subtype":"success","request_id":"'"$id"'","response":{}}}'
      [ "$mode" = cut ] && mirror "$rejected"
      say '{"type":"result","subtype":"error_during_execution","is_error":true,"session_id":"'"$sid"'","num_turns":1,"terminal_reason":"aborted_streaming","errors":[]}'
      finish
      ;;
    *'"request_id":"h1"'*)
      case $line in *'"deny"'*) mode=denied; note denied; continue ;; esac
      assistant c tool_use "$call"
      [ "$mode" = tool ] && mirror "$tool"
      note tool
      ;;
    *'"type":"user"'*)
      uuid=\${line#*'"uuid":"'}
      uuid=\${uuid%%'"'*}
      note start
      [ -z "$JOB_LEDGER" ] || hold
      say '{"type":"system","subtype":"init","session_id":"'"$sid"'","cwd":"/","tools":[],"mcp_servers":[],"model":"m"}'
      mirror '{"type":"user","uuid":"'"$uuid"'","parentUuid":null,"sessionId":"'"$sid"'","isSidechain":false,"message":{"role":"user","content":"..."}}'
      mode=
      if [ -z "$resumed" ]; then
        case $line in
          *Hang*) mode=hang ;;
          *Deaf*) mode=deaf ;;
          *Cut*) mode=cut ;;
          *Later*) mode=cut; note waits; until [ -e "$JOB_LEDGER.go" ]; do sleep 0.02; done ;;
          *Tool*) mode=tool ;;
          *Answered*) mode=answered ;;
          *Limit*) mode=limit ;;
          *Overloaded*) mode=overloaded ;;
          *Leak*) mode=leak ;;
          *Say*) mode=say ;;
        esac
      fi
      case $mode in
        hang | deaf) note waits ;;
        cut | tool) say '{"type":"control_request","request_id":"h1","request":{"subtype":"hook_callback","callback_id":"'"$hook"'","input":{"hook_event_name":"PreToolUse","session_id":"'"$sid"'","transcript_path":"x","cwd":"/","tool_name":"Bash","tool_input":{"command":"deploy"},"tool_use_id":"toolu_1"},"tool_use_id":"toolu_1"}}' ;;
        answered) answer "All done."; note waits ;;
        limit)
          say '{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":'"$JOB_RESETS_AT"',"rateLimitType":"five_hour"},"session_id":"'"$sid"'","uuid":"r"}'
          failed "API Error: 429 rate limited" 429; finish ;;
        overloaded) failed "API Error: 529 overloaded" 529; finish ;;
        leak) failed "API Error: 401 for $ANTHROPIC_API_KEY at https://user:$ANTHROPIC_API_KEY@host" 401; finish ;;
        say) answer "The key is $ANTHROPIC_API_KEY."; finish; result "The key is $ANTHROPIC_API_KEY." ;;
        *) [ -z "$JOB_TURN_S" ] || sleep "$JOB_TURN_S"; answer Done.; finish; result Done. ;;
      esac
      ;;
  esac
done
[ -z "$lock" ] || rmdir "$lock" 2>/dev/null
`;

/** @returns the path of the program. */
export function writeJobCli(folder) {
  const path = `${folder}/job-cli`;
  writeFileSync(path, SCRIPT, { mode: 0o755 });
  return path;
}
