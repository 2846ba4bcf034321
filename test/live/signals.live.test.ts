import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { buildPackage } from '../helpers/built-package.js';
import { CURRENT } from './support/clis.js';
import { setStage } from './support/stage.js';

let dist: string;
beforeAll(() => {
  dist = buildPackage('live-signals');
});

const LONG = { blocks: [{ type: 'text' as const, text: 'word '.repeat(400) }], chunkSize: 20, chunkMs: 60 };

/** A chat of two messages that handles SIGINT itself. It prints `init` when a turn runs, and each result. */
const program = (entry: string, options: object): string => `
  import { query } from ${JSON.stringify(entry)};
  let endTurn;
  async function* ask() {
    for (const content of ['one', 'two']) {
      const turn = new Promise((resolve) => { endTurn = resolve; });
      yield { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null };
      await turn;
    }
  }
  const run = query({ prompt: ask(), options: ${JSON.stringify({ ...options, includePartialMessages: true })} });
  process.on('SIGINT', () => void run.interrupt());
  let isTold = false;
  for await (const message of run) {
    if (message.type === 'stream_event' && !isTold) console.log('streaming');
    if (message.type === 'stream_event') isTold = true;
    if (message.type === 'result') console.log('result', message.subtype, message.result ?? '');
    if (message.type === 'result') endTurn();
  }
`;

// `script` of util-linux gives the program a terminal.
describe.runIf(process.platform === 'linux')('Ctrl-C at a terminal, handled by the program', () => {
  test.each([
    { ownProcessGroup: true, answers: ['error_during_execution', 'success Second.'] },
    { ownProcessGroup: false, answers: ['error_during_execution'] },
  ])('ownProcessGroup: $ownProcessGroup', async ({ ownProcessGroup, answers }) => {
    const stage = await setStage(CURRENT, { turns: [LONG, 'Second.'] });
    const file = join(stage.folder, 'chat.mjs');
    const entry = pathToFileURL(join(dist, 'index.js')).href;
    writeFileSync(file, program(entry, stage.options({ ownProcessGroup })));
    const child = spawn('script', ['-qefc', `exec '${process.execPath}' '${file}'`, '/dev/null'], {
      env: { PATH: process.env.PATH, TERM: 'xterm' },
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      if (!output.includes('streaming') && `${output}${text}`.includes('streaming')) child.stdin.write('\u0003');
      output += text;
    });
    await once(child, 'close');
    expect([...output.matchAll(/result (.*?)\s*\r?\n/g)].map(([, what]) => what)).toEqual(answers);
  });
});
