import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Options, query, type SDKMessage } from '../../src/index.js';
import { DRAIN_AFTER_EXIT_MS } from '../../src/transport/process-end.js';
import { writeExecutable } from '../helpers/executable.js';

/** Speaks the protocol: one answer to `initialize`, and one turn that takes its time. */
const CLI = `
import { createInterface } from 'node:readline';
const write = (frame) => process.stdout.write(JSON.stringify(frame) + '\\n');
createInterface({ input: process.stdin }).on('line', (line) => {
  const { type, request_id } = JSON.parse(line);
  if (type === 'control_request') write({ type: 'control_response', response: { subtype: 'success', request_id, response: {} } });
  if (type !== 'user') return;
  write({ type: 'system', subtype: 'init', session_id: 's' });
  setTimeout(() => {
    write({ type: 'result', subtype: 'success', is_error: false, result: 'Done.', num_turns: 1, session_id: 's' });
  }, ${DRAIN_AFTER_EXIT_MS + 200});
});
`;

/** @param start - Lines of a shell script; \`CLI\` starts the CLI. */
async function run(start: string, options: Options = {}): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'handed-over-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [script, path] = [join(folder, 'cli.mjs'), join(folder, 'claude')];
  writeFileSync(script, CLI);
  const command = `'${process.execPath}' '${script}'`;
  writeExecutable(path, `#!/bin/sh\n# claude-code-version: newest\n${start.replaceAll('CLI', command)}\n`);
  const seen: string[] = [];
  const note = (message: SDKMessage) =>
    seen.push('subtype' in message ? `${message.type}/${message.subtype}` : message.type);
  for await (const message of query({ prompt: 'Hi', options: { pathToClaudeCodeExecutable: path, ...options } })) {
    note(message);
  }
  return seen;
}

const WHOLE = ['system/init', 'result/success'];

test('a launcher that leaves its pipes to the CLI and exits may do so', async () => {
  expect(await run('exec 3<&0\nCLI <&3 &\nexit 0')).toEqual(WHOLE);
});

test('what a filter behind the CLI holds back is waited for', async () => {
  const filter = `while IFS= read -r line; do case $line in *'"result"'*) sleep 0.7;; esac; printf '%s\\n' "$line"; done`;
  // The filter has the pipe, and its parent is the process that is watched.
  expect(await run(`mkfifo "$0.pipe"\n{ ${filter}; } < "$0.pipe" &\nCLI > "$0.pipe"`)).toEqual(WHOLE);
});

test('a child that only holds the pipe is not waited for when the launcher failed, or nothing is unanswered', async () => {
  await expect(run('sleep 30 &\nexit 3')).rejects.toThrow('exited with code 3');
  expect(await run('sleep 30 &\nCLI')).toEqual(WHOLE);
});
