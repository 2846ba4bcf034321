#!/usr/bin/env node
/**
 * A CLI that writes down what it was started with and what it was told, into `cli.log` beside itself, and does what
 * `cli.json` there says:
 *
 *   initialize   'answer' (default), 'error', 'never', or frames to write instead of an answer
 *   turns        the frames for each user message; an `exit` among them ends the process
 *   exitAtStart  the exit code, before anything is read
 *   keepsOpen    the end of the input does not end it
 */
import { appendFileSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const script = JSON.parse(readFileSync(join(here, 'cli.json'), 'utf8'));
const { pid, env } = process;
const argv = process.argv.slice(2);
const note = (event, more) => appendFileSync(join(here, 'cli.log'), `${JSON.stringify({ event, pid, ...more })}\n`);

const started = { argv, cwd: process.cwd(), mark: env.PARITY_MARK ?? null };
if (argv.includes('-v') || argv.includes('--version')) {
  note('probe', started);
  process.stdout.write('2.1.240 (Claude Code)\n');
  process.exit(0);
}
const folder = env.CLAUDE_CONFIG_DIR ?? '';
note('start', { ...started, folder, files: script.showsFolder ? filesIn(folder, '') : [] });
if (script.exitAtStart !== undefined) process.exit(script.exitAtStart);

let turn = 0;
const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  note('line', { line });
  const { type, request_id: id, request } = JSON.parse(line);
  if (type === 'user') {
    write(script.turns?.[turn] ?? DEFAULT_TURN);
    turn += 1;
  } else if (type === 'control_request') {
    write(request.subtype === 'initialize' ? greeting(id) : [answer(id, {})]);
  }
});
lines.on('close', () => {
  note('eof');
  if (script.keepsOpen !== true) process.exit(0);
});
if (script.keepsOpen === true) setInterval(() => {}, 60_000);

const DEFAULT_TURN = [
  { type: 'system', subtype: 'init', session_id: 's', uuid: 'u' },
  {
    type: 'result',
    subtype: 'success',
    duration_ms: 1,
    duration_api_ms: 1,
    is_error: false,
    num_turns: 1,
    session_id: 's',
    result: 'done',
    uuid: 'r',
  },
];

function greeting(id) {
  const { initialize = 'answer' } = script;
  if (initialize === 'never') return [];
  if (initialize === 'error') {
    return [{ type: 'control_response', response: { subtype: 'error', request_id: id, error: 'not today' } }];
  }
  return initialize === 'answer' ? [answer(id, { commands: [], greeting: 'hello' })] : initialize;
}

function answer(id, response) {
  return { type: 'control_response', response: { subtype: 'success', request_id: id, response } };
}

/** What is written before an `exit` arrives before it. */
function write(frames) {
  const at = frames.findIndex((frame) => frame?.exit !== undefined);
  const shown = at === -1 ? frames : frames.slice(0, at);
  const text = shown.map((frame) => `${typeof frame === 'string' ? frame : JSON.stringify(frame)}\n`).join('');
  process.stdout.write(text, () => {
    if (at !== -1) process.exit(frames[at].exit);
  });
}

function filesIn(base, below) {
  const names = readdirSync(join(base, below)).sort();
  return names.flatMap((name) => {
    const path = join(below, name);
    const stats = statSync(join(base, path));
    if (stats.isDirectory()) return filesIn(base, path);
    const mode = (stats.mode & 0o777).toString(8);
    return [{ path, mode, text: readFileSync(join(base, path), 'utf8') }];
  });
}
