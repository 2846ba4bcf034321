#!/bin/sh
# claude-code-version: newest
# One turn of the CLI in a shell, which starts in a millisecond: answers `initialize`, takes a message, asks for a
# permission, gives a result, and leaves when its input ends.
read -r line || exit 0
id=${line#*'"request_id":"'}
id=${id%%'"'*}
printf '{"type":"control_response","response":{"subtype":"success","request_id":"%s","response":{}}}\n' "$id"
read -r line || exit 0
printf '{"type":"system","subtype":"init","session_id":"s","tools":[],"model":"m"}\n'
printf '{"type":"control_request","request_id":"q","request":{"subtype":"can_use_tool","tool_name":"Bash","input":{},"tool_use_id":"t"}}\n'
read -r line || exit 0
printf '{"type":"result","subtype":"success","is_error":false,"result":"Done.","session_id":"s"}\n'
while read -r line; do :; done
