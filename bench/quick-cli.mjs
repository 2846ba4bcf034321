// claude-code-version: newest
/**
 * A fake CLI for runs in which its own start counts: a shell script is up in a millisecond, Node in forty.
 * It greets the first user message, sends the frames of a file if `BENCH_FRAMES` names one, sends a
 * result, and leaves at the end of its input.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FrameBlock } from './frames.mjs';

const SCRIPT = `#!/bin/sh
while IFS= read -r line; do
  case $line in
    *'"subtype":"initialize"'*)
      id=\${line#*'"request_id":"'}
      id=\${id%%'"'*}
      printf '{"type":"control_response","response":{"subtype":"success","request_id":"%s","response":{"commands":[],"models":[]}}}\\n' "$id"
      ;;
    *'"type":"user"'*)
      printf '{"type":"system","subtype":"init","session_id":"s","pid":%d}\\n' $$
      if [ -n "$BENCH_FRAMES" ]; then cat "$BENCH_FRAMES"; fi
      printf '{"type":"result","subtype":"success","is_error":false,"result":"done"}\\n'
      ;;
  esac
done
`;

/** Writes the script and its frames into a new folder, with an empty one for temporary files. Remove it with `remove()`. */
export function createQuickCli() {
  const folder = mkdtempSync(join(tmpdir(), 'claudewire-bench-'));
  const file = join(folder, 'cli');
  writeFileSync(file, SCRIPT, { mode: 0o755 });
  const tmp = join(folder, 'tmp');
  mkdirSync(tmp);
  const frames = {
    few: join(folder, 'few.jsonl'),
    fewCount: new FrameBlock('small').frameCount,
    many: join(folder, 'many.jsonl'),
  };
  writeFileSync(frames.few, smallFrames(1));
  writeFileSync(frames.many, smallFrames(16));
  return { file, frames, tmp, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Blocks of small deltas, numbered through. */
function smallFrames(blocks) {
  const block = new FrameBlock('small');
  const parts = [];
  for (let index = 0; index < blocks; index += 1) {
    block.number(index * block.frameCount);
    parts.push(Buffer.from(block.bytes));
  }
  return Buffer.concat(parts);
}
