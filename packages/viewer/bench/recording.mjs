/** Makes a large recording: turns with streamed texts, tools, hooks and permissions, as the recorder writes them. */
import { closeSync, openSync, writeSync } from 'node:fs';

/** Numbers that look like chance and are the same each time. */
function randomFrom(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Writes `frames` lines of about `bytes` bytes together. @returns the bytes. */
export function writeRecording(file, { frames, bytes }) {
  const random = randomFrom(7);
  const words = Array.from({ length: 4_000 }, () => Math.floor(random() * 2 ** 40).toString(36));
  const text = (length) => {
    let made = '';
    while (made.length < length) made += `${words[Math.floor(random() * words.length)]} `;
    return made.slice(0, length);
  };
  const fd = openSync(file, 'w');
  let [written, count, t] = [0, 0, 0];
  const put = (dir, data) => {
    t += Math.floor(random() * 9);
    written += writeSync(fd, `${JSON.stringify({ t, dir, data })}\n`);
    count += 1;
  };
  put('meta', {
    scenario: 'large',
    about: `${frames} frames, ${Math.round(bytes / 1e6)} MB`,
    cli_version: '2.1.330 (Claude Code)',
  });
  put('meta', { event: 'spawn', argv: ['claude', '--output-format', 'stream-json'] });
  // What remains is spread over the tool results.
  const each = (bytes / frames) * 13;
  for (let turn = 0; count < frames - 20; turn += 1) {
    const [id, tool] = [`msg_${turn}`, `toolu_${turn}`];
    const usage = {
      input_tokens: 400 + turn,
      output_tokens: 60,
      cache_read_input_tokens: turn * 300,
      cache_creation_input_tokens: 0,
    };
    put('in', { type: 'user', message: { role: 'user', content: text(200) } });
    put('out', { type: 'system', subtype: 'init', session_id: 's', model: 'm', tools: ['Bash'] });
    const event = (inner) =>
      put('out', { type: 'stream_event', parent_tool_use_id: null, session_id: 's', uuid: `u${count}`, event: inner });
    event({ type: 'message_start', message: { id, model: 'm', usage } });
    event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });
    for (let piece = 0; piece < 4; piece += 1)
      event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: text(24) } });
    event({ type: 'content_block_stop', index: 0 });
    put('out', {
      type: 'assistant',
      message: {
        id,
        role: 'assistant',
        usage,
        content: [{ type: 'tool_use', id: tool, name: 'Bash', input: { command: text(60) } }],
      },
      parent_tool_use_id: null,
      session_id: 's',
      uuid: `u${count}`,
    });
    put('out', {
      type: 'control_request',
      request_id: `r${turn}`,
      request: { subtype: 'can_use_tool', tool_name: 'Bash', tool_use_id: tool, input: {} },
    });
    put('in', {
      type: 'control_response',
      response: {
        subtype: 'success',
        request_id: `r${turn}`,
        response: { behavior: turn % 40 === 0 ? 'deny' : 'allow' },
      },
    });
    const isError = turn % 25 === 0;
    put('out', {
      type: 'user',
      message: {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: tool, content: text(Math.max(40, each)), is_error: isError }],
      },
      parent_tool_use_id: null,
      session_id: 's',
      uuid: `u${count}`,
    });
    put('out', {
      type: 'result',
      subtype: 'success',
      is_error: false,
      result: 'Done.',
      total_cost_usd: turn / 100,
      usage,
      session_id: 's',
      uuid: `u${count}`,
      duration_ms: 1,
      duration_api_ms: 1,
      num_turns: 1,
      stop_reason: 'end_turn',
    });
  }
  while (count < frames - 1) put('err', text(80));
  put('meta', { event: 'exit', code: 0, signal: null });
  closeSync(fd);
  return { bytes: written, frames: count };
}
