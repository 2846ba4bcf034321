import { mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { LiveScenario } from '../../src/drift/live-scenario.js';
import { recordSuite } from '../../src/drift/record-suite.js';

const RECORDER = new URL('../../../../.build/recorder.mjs', import.meta.url);

/** A CLI that asks for a permission, repeats what it is told, and says where it runs. */
const CLI = `
import { createInterface } from 'node:readline';
if (process.argv.includes('--version')) { console.log('1.0.0 (Fake)'); process.exit(0); }
const say = (frame) => console.log(JSON.stringify(frame));
createInterface({ input: process.stdin }).on('line', (line) => {
  const frame = JSON.parse(line);
  if (frame.type === 'user') say({ type: 'control_request', request_id: 'q1', request: { subtype: 'can_use_tool', message: { id: 7 } } });
  else say({ type: 'result', subtype: 'success', said: frame.response, cwd: process.cwd(), url: process.env.ANTHROPIC_BASE_URL, home: process.env.HOME });
}).on('close', () => process.exit(0));
`;

test('each scenario runs through the recorder, in folders that are gone afterwards', async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'record-suite-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const cli = join(folder, 'cli.mjs');
  writeFileSync(cli, CLI);
  const scenario: LiveScenario = {
    name: 'one',
    about: '',
    args: [],
    turns: ['a'],
    script: [
      { write: { type: 'user' } },
      { answer: 'can_use_tool', response: { subtype: 'success', id: '$id' } },
      { until: { type: 'result', said: { id: 7, request_id: 'q1' } } },
      { end: true },
    ],
  };
  const turns: unknown[] = [];
  let open = 0;
  const suite = await recordSuite({
    scenarios: [scenario],
    cli,
    recorder: RECORDER,
    out: join(folder, 'out'),
    startApi: async (given) => {
      turns.push(given);
      open += 1;
      return {
        url: 'http://127.0.0.1:1',
        close: async () => {
          open -= 1;
        },
      };
    },
  });
  expect(suite.problems).toEqual([]);
  expect(suite.shape).toMatchObject({
    cliVersion: '1.0.0 (Fake)',
    scenarios: { one: { frames: ['control_request/can_use_tool', 'result/success'], exit: 0 } },
  });
  expect(suite.shape.kinds['result/success']).toMatchObject({ 'said.id': 'number', url: 'string' });
  expect([turns, open]).toEqual([[['a']], 0]);
  expect(readdirSync(join(folder, 'out'))).toEqual(['one.jsonl']);
});

test('a frame that does not come is a problem of that scenario', async () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'record-suite-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const cli = join(folder, 'cli.mjs');
  writeFileSync(cli, 'process.exit(5);');
  const { problems, shape } = await recordSuite({
    scenarios: [{ name: 'x', about: '', args: [], turns: [], script: [{ until: { type: 'result' } }] }],
    cli,
    recorder: RECORDER,
    startApi: async () => ({ url: '', close: async () => {} }),
  });
  expect(problems).toEqual([{ name: 'x', problem: '{"type":"result"} did not come' }]);
  expect(shape.scenarios.x).toEqual({ frames: [], exit: 5 });
});
