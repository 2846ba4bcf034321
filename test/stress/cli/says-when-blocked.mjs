// claude-code-version: newest
// Writes 2048 frames of 64 KiB after the first user message, then a result. Into the file BLOCKED_FILE it writes how many were
// written: each time the pipe has taken nothing for a second, and at the end.
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const FRAMES = 2048;
const text = 'x'.repeat(64 * 1024);
let written = 0;

for await (const line of createInterface({ input: process.stdin })) {
  const frame = JSON.parse(line);
  if (frame.request?.subtype === 'initialize') {
    const { request_id } = frame;
    say({ type: 'control_response', response: { subtype: 'success', request_id, response: {} } });
  } else if (frame.type === 'user') {
    await flood();
    say({ type: 'result', subtype: 'success', is_error: false, result: 'Done.' });
    report();
  }
}

async function flood() {
  for (; written < FRAMES; written += 1) {
    if (say({ type: 'assistant', n: written, message: { role: 'assistant', content: text } })) continue;
    const timer = setTimeout(report, 1000);
    await new Promise((resolve) => process.stdout.once('drain', resolve));
    clearTimeout(timer);
  }
}

function report() {
  writeFileSync(process.env.BLOCKED_FILE, String(written));
}

function say(frame) {
  return process.stdout.write(`${JSON.stringify(frame)}\n`);
}
