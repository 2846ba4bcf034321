/**
 * The floor: the thinnest correct plain-Node reader. Lines are found in the Buffer, one `JSON.parse`
 * a line, a plain callback a message, one write a frame. No options, checks or features.
 */
import { spawn } from 'node:child_process';

const LINE_FEED = 0x0a;

export async function load() {}

/** @see ../one-run.mjs for what `work` holds and what is returned. */
export function open(work) {
  const child = spawn(work.cli.file, work.cli.args, { env: work.cli.env, stdio: ['pipe', 'pipe', 'inherit'] });
  const pending = new Map();
  let requestCount = 0;
  let hasLeft = false;
  const send = (frame) => child.stdin.write(`${JSON.stringify(frame)}\n`);
  const leave = () => {
    hasLeft = true;
    child.stdin.end();
  };
  const onFrame = (frame) => {
    if (frame.type === 'control_response') {
      const { request_id: id, response } = frame.response;
      pending.get(id)?.(response);
      pending.delete(id);
    } else if (frame.type === 'control_request') {
      const { request_id: id, request } = frame;
      const response = answer(work, request);
      send({ type: 'control_response', response: { subtype: 'success', request_id: id, response } });
    } else {
      if (work.onMessage(frame) === true) leave();
      if (frame.type === 'result' && typeof work.prompt === 'string') leave();
    }
  };
  readLines(child.stdout, (line) => {
    if (!hasLeft) onFrame(JSON.parse(line));
  });
  child.stdin.on('error', () => {});

  send({ type: 'control_request', request_id: 'initialize', request: initializeOf(work) });
  if (typeof work.prompt === 'string') send(userFrame(work.prompt));
  else void pump(work.prompt, child.stdin, send);

  return {
    done: new Promise((resolve, reject) => {
      child.on('close', resolve);
      child.on('error', reject);
    }),
    setModel: (model) =>
      new Promise((resolve) => {
        const id = `request-${requestCount++}`;
        pending.set(id, resolve);
        send({ type: 'control_request', request_id: id, request: { subtype: 'set_model', model } });
      }),
    abort: leave,
  };
}

function readLines(stdout, onLine) {
  let tail = [];
  stdout.on('data', (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      if (tail.length === 0) {
        onLine(chunk.toString('utf8', start, end));
      } else {
        tail.push(chunk.subarray(start, end));
        onLine(Buffer.concat(tail).toString());
        tail = [];
      }
      start = end + 1;
    }
    if (start < chunk.length) tail.push(chunk.subarray(start));
  });
}

async function pump(prompt, stdin, send) {
  for await (const frame of prompt) {
    if (!send(frame)) await new Promise((resolve) => stdin.once('drain', resolve));
  }
  stdin.end();
}

function answer(work, request) {
  switch (request.subtype) {
    case 'can_use_tool':
      return work.canUseTool(request.tool_name, request.input);
    case 'hook_callback':
      return work.hook(request.input);
    case 'mcp_message': {
      const { id, method, params } = request.message;
      const content = method === 'tools/call' ? [{ type: 'text', text: work.tool(params.arguments) }] : [];
      return { mcp_response: { jsonrpc: '2.0', id, result: { content } } };
    }
  }
}

function initializeOf(work) {
  return {
    subtype: 'initialize',
    ...(work.hook && { hooks: { PreToolUse: [{ hookCallbackIds: ['hook_0'] }] } }),
    ...(work.tool && { sdkMcpServers: ['calc'] }),
  };
}

function userFrame(text) {
  const message = { role: 'user', content: [{ type: 'text', text }] };
  return { type: 'user', session_id: '', message, parent_tool_use_id: null };
}
