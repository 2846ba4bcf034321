// claude-code-version: newest
/**
 * A fake CLI that costs next to nothing, so that what is measured is the reader: plain Node,
 * prepared buffers, and synchronous reads and writes, which block as a full pipe asks for.
 *
 * `BENCH_JOB` says what to do, as JSON; its `mode` names one of the functions below. Every job starts with
 * the first user message and ends with a result that carries, in `bench`, what was sent and what was wrong.
 */
import { countLines, framesIn, Input, PreparedRequests, writeAll, writeFrame } from './cli-io.mjs';
import { FrameBlock, idOf, nowUs } from './frames.mjs';
import { QUESTIONS } from './questions.mjs';

const job = JSON.parse(process.env.BENCH_JOB);
const MODES = { flood, pace, ask, serve, turns, collect, deaf };

/** The adapters' hooks need the last field. */
const INITIALIZED = { commands: [], models: [], pid: process.pid, hook_on_failure_supported: true };

const input = new Input();
let initialize = {};

MODES[job.mode]();

/** `count` numbered frames of one kind, as fast as they are taken. */
function flood() {
  const block = new FrameBlock(job.kind);
  start();
  // The reader is idle when the flood begins, so the first frame's cost is in the figure.
  sleep(20);
  const startedUs = nowUs();
  let frames = 0;
  for (; frames < job.count; frames += block.frameCount) {
    block.number(frames);
    writeAll(block.bytes);
  }
  finish({ frames, units: block.units * (frames / block.frameCount), startedUs });
}

/** One small frame every half millisecond, each with the time it was written. */
function pace() {
  start();
  for (let frames = 0; frames < job.count; frames += 1) {
    sleep(0.5);
    writeFrame({ type: 'stream_event', event: { index: frames, sentUs: nowUs() } });
  }
  finish({ frames: job.count });
}

/**
 * `count` control requests, `inFlight` of them open at a time. They are prepared before the clock starts
 * and the answers are only counted while it runs, so the time is the host's. Checks every answer afterwards.
 */
function ask() {
  start();
  const question = QUESTIONS[job.question](initialize);
  for (const request of question.handshake ?? []) {
    writeFrame({ type: 'control_request', request_id: 'handshake', request });
    input.next();
  }
  const total = job.warmUp + job.count;
  const requests = new PreparedRequests(total, question.request);
  const answers = [];
  let answered = 0;
  let startedUs = 0;
  let answeredAtStart = 0;
  requests.write(job.inFlight);
  while (answered < total) {
    const chunk = input.raw();
    if (chunk.length === 0) break;
    answers.push(chunk);
    const inChunk = countLines(chunk);
    answered += inChunk;
    if (startedUs === 0 && answered >= job.warmUp) {
      startedUs = nowUs();
      answeredAtStart = answered;
    }
    requests.write(inChunk);
  }
  const usEach = (nowUs() - startedUs) / (answered - answeredAtStart);
  const isRight = ({ response }) =>
    response.subtype === 'success' && question.isRight(Number(response.request_id.slice(-12)), response.response);
  const frames = framesIn(answers);
  const ids = new Set(frames.map(({ response }) => response.request_id));
  const right = frames.filter(isRight).length;
  finish({ answered: ids.size, wrong: frames.length - right, usEach });
}

/** Answers every control request at once, until the input ends. */
function serve() {
  start();
  const after = '","response":{"model":"claude-sonnet-5-5"}}}\n';
  const before = '{"type":"control_response","response":{"subtype":"success","request_id":"';
  let served = 0;
  let rest = '';
  for (let chunk = input.raw(); chunk.length > 0; chunk = input.raw()) {
    const lines = (rest + chunk.toString('latin1')).split('\n');
    rest = lines.pop();
    let text = '';
    for (const line of lines) {
      // Cheaper than parsing; a line without an id would stall the run.
      const id = /"request_id":"([^"]*)"/.exec(line)?.[1];
      if (id === undefined) continue;
      text += before + id + after;
      served += 1;
    }
    if (text !== '') writeAll(Buffer.from(text, 'latin1'));
  }
  finish({ served });
}

/** One assistant message and one result for each user message. */
function turns() {
  start();
  let count = 0;
  for (let frame = { type: 'user' }; frame !== undefined; frame = input.next()) {
    if (frame.type !== 'user') continue;
    const message = { role: 'assistant', content: [{ type: 'text', text: `turn ${count}` }] };
    writeAll(
      Buffer.from(`${JSON.stringify({ type: 'assistant', message, session_id: 's' })}\n${resultLine({ turn: count })}`),
    );
    count += 1;
  }
}

/** Takes `count` user messages and looks at them only when all are there. */
function collect() {
  start();
  const chunks = [];
  let missing = job.count;
  const startedUs = nowUs();
  while (missing > 0) {
    const chunk = input.raw();
    if (chunk.length === 0) break;
    chunks.push(chunk);
    missing -= countLines(chunk);
  }
  const usEach = (nowUs() - startedUs) / job.count;
  const frames = framesIn(chunks);
  const wrong = frames.filter(({ uuid }, index) => uuid !== idOf(index)).length;
  finish({ received: frames.length, wrong, usEach });
}

/** Reads nothing at all, then leaves. */
function deaf() {
  sleep(job.ms);
}

/** Answers `initialize` and sends `system/init` at the first user message. */
function start() {
  for (let frame = input.next(); frame !== undefined; frame = input.next()) {
    if (frame.type === 'user') break;
    if (frame.request?.subtype !== 'initialize') continue;
    initialize = frame.request;
    writeAll(Buffer.from(answerTo(frame.request_id, INITIALIZED)));
  }
  writeFrame({ type: 'system', subtype: 'init', session_id: 's', pid: process.pid });
}

function finish(report) {
  writeAll(Buffer.from(resultLine(report)));
  while (input.next() !== undefined);
}

function resultLine(bench) {
  const result = { type: 'result', subtype: 'success', is_error: false, result: 'done', bench };
  return `${JSON.stringify(result)}\n`;
}

function answerTo(requestId, response) {
  const body = { subtype: 'success', request_id: requestId, response };
  return `${JSON.stringify({ type: 'control_response', response: body })}\n`;
}

function sleep(ms) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
