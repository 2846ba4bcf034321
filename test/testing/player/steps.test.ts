import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Step } from '../../helpers/scripted-cli.js';
import { PlayerProcess } from './player-process.js';

const request = (subtype: string, id = 'r1', fields: object = {}): object => ({
  type: 'control_request',
  request_id: id,
  request: { subtype, ...fields },
});
const user = (content: string): object => ({ type: 'user', message: { role: 'user', content } });
const ready: Step = { out: { type: 'ready' } };

describe('steps that only write', () => {
  const cases: readonly {
    readonly name: string;
    readonly steps: readonly Step[];
    readonly stdout: string;
    readonly stderr?: string;
    readonly code?: number;
  }[] = [
    { name: 'out writes one line', steps: [{ out: { a: 1 } }], stdout: '{"a":1}\n' },
    { name: 'raw writes the text without a newline', steps: [{ raw: 'not json' }], stdout: 'not json' },
    { name: 'bytes writes decoded base64', steps: [{ bytes: 'w6kK' }], stdout: 'é\n' },
    { name: 'stderr writes to stderr', steps: [{ stderr: 'oops\n' }], stdout: '', stderr: 'oops\n' },
    { name: 'exit ends with the code', steps: [{ exit: 7 }], stdout: '', code: 7 },
    {
      name: 'exit lets what was written leave first',
      steps: [{ raw: 'x'.repeat(300_000) }, { exit: 1 }],
      stdout: 'x'.repeat(300_000),
      code: 1,
    },
    {
      name: 'repeat counts from 0 and nests',
      steps: [
        {
          repeat: 2,
          // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the scenario
          steps: [{ repeat: 2, as: 'j', steps: [{ out: { n: '$i', t: '${i}.${j}' } }] }],
        },
      ],
      stdout: '{"n":0,"t":"0.0"}\n{"n":0,"t":"0.1"}\n{"n":1,"t":"1.0"}\n{"n":1,"t":"1.1"}\n',
    },
    { name: '$$ is a literal dollar', steps: [{ out: { price: '$$five' } }], stdout: '{"price":"$five"}\n' },
    { name: 'no step at all: the player leaves at the end of stdin', steps: [], stdout: '' },
  ];
  for (const { name, steps, stdout, stderr = '', code = 0 } of cases) {
    test(name, async () => {
      const player = new PlayerProcess(steps);
      expect(await player.finish()).toEqual({ code, signal: null, stdout, stderr });
      expect(player.cli.verdict()).toMatchObject({ passed: true, end: 'finished', exitCode: code });
    });
  }

  test('a flood of 20 000 frames arrives whole', async () => {
    const player = new PlayerProcess([{ repeat: 20_000, steps: [{ out: { n: '$i' } }] }]);
    await player.finish();
    expect(player.frames).toEqual(Array.from({ length: 20_000 }, (_, n) => ({ n })));
  });

  test('cut delivers the pieces as chunks of their own', async () => {
    const player = new PlayerProcess([{ raw: 'abcdefgh', cut: [1, 3], gapMs: 700 }]);
    await player.finish();
    expect(player.chunks.map(String)).toEqual(['a', 'bc', 'defgh']);
  });

  test('cut by a number splits inside a character', async () => {
    const player = new PlayerProcess([{ raw: 'éé', cut: 3, gapMs: 700 }]);
    await player.finish();
    expect(player.chunks.map((chunk) => chunk.length)).toEqual([3, 1]);
  });

  test('stdout close ends the output while the process lives on', async () => {
    const player = new PlayerProcess([{ raw: 'last' }, { stdout: 'close' }, { in: { type: 'go' } }]);
    await once(player.child.stdout, 'end');
    expect(player.child.exitCode).toBeNull();
    player.send({ type: 'go' });
    expect(await player.finish()).toMatchObject({ code: 0, stdout: 'last' });
  });

  test('kill ends the process by a signal', async () => {
    const player = new PlayerProcess([{ raw: 'bye' }, { kill: 'SIGSEGV' }]);
    expect(await player.finish()).toMatchObject({ code: null, signal: 'SIGSEGV', stdout: 'bye' });
  });
});

describe('expectations', () => {
  test('in matches a subset, captures, and later frames use what was captured', async () => {
    const player = new PlayerProcess([
      { in: { type: 'control_request', request_id: '$id', request: { subtype: 'set_model', model: '$model' } } },
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the scenario
      { out: { answered: '$id', text: 'now ${model}' } },
      { in: { type: 'echo', id: '$id', extra: '$_', gone: '$absent' } },
    ]);
    player.send(request('set_model', 'abc', { model: 'm1', other: true }));
    await player.heard('answered');
    player.send({ type: 'echo', id: 'abc', extra: 1 });
    expect(await player.finish()).toMatchObject({ code: 0 });
    expect(player.frames).toEqual([{ answered: 'abc', text: 'now m1' }]);
  });

  test('frames may come in another order than they are expected', async () => {
    const player = new PlayerProcess([{ in: { n: 1 } }, { in: { n: 2 } }, { in: { n: 3 } }]);
    player.send({ n: 3 }, { n: 1 }, { n: 2 });
    await player.finish();
    expect(player.cli.verdict()).toMatchObject({ passed: true, unclaimed: [] });
  });

  test('frames no step takes are listed in the verdict', async () => {
    const player = new PlayerProcess([{ in: { type: 'user' } }]);
    player.send({ type: 'keep_alive' }, user('a'));
    await player.finish();
    expect(player.cli.verdict()).toMatchObject({ passed: true, unclaimed: [{ type: 'keep_alive' }] });
  });

  test('in with answer, and with error, answers the request it took', async () => {
    const player = new PlayerProcess([
      { in: { type: 'control_request', request: { subtype: 'mcp_status' } }, answer: { n: 1 } },
      { in: { type: 'control_request', request: { subtype: 'mcp_status' } }, error: 'no' },
    ]);
    player.send(request('mcp_status', 'a'), request('mcp_status', 'b'));
    await player.finish();
    expect(player.frames).toEqual([
      { type: 'control_response', response: { subtype: 'success', request_id: 'a', response: { n: 1 } } },
      { type: 'control_response', response: { subtype: 'error', request_id: 'b', error: 'no' } },
    ]);
  });

  test('a variable captured in one round of repeat is free in the next', async () => {
    const player = new PlayerProcess([
      { repeat: 3, steps: [{ in: { type: 'ask', id: '$id' } }, { out: { id: '$id' } }] },
    ]);
    player.send(...['a', 'b', 'c'].map((id) => ({ type: 'ask', id })));
    await player.finish();
    expect(player.frames).toEqual([{ id: 'a' }, { id: 'b' }, { id: 'c' }]);
  });
});

describe('control requests that no step expects', () => {
  test('get a default answer at once, initialize included', async () => {
    const player = new PlayerProcess([{ in: { type: 'user' } }, { out: { type: 'end' } }]);
    player.send(request('initialize', 'i'), request('set_model', 's'), user('x'));
    await player.finish();
    expect(player.frames).toEqual([
      {
        type: 'control_response',
        response: {
          subtype: 'success',
          request_id: 'i',
          response: expect.objectContaining({ commands: [], output_style: 'default' }),
        },
      },
      { type: 'control_response', response: { subtype: 'success', request_id: 's', response: {} } },
      { type: 'end' },
    ]);
  });

  test.each([
    ['JSON', () => '{"sandbox":{"enabled":true}}'],
    [
      'a file',
      () => {
        const file = join(mkdtempSync(join(tmpdir(), 'claudewire-settings-')), 's.json');
        onTestFinished(() => rmSync(dirname(file), { recursive: true }));
        writeFileSync(file, '{"sandbox":{"enabled":true}}');
        return file;
      },
    ],
    ['no settings', () => undefined],
    ['a file that is not there', () => '/nowhere/s.json'],
  ])('get_settings echoes what --settings names: %s', async (name, given) => {
    const settings = given();
    const args = settings === undefined ? [] : ['--settings', settings];
    const player = new PlayerProcess([{ in: { type: 'user' } }], { args });
    player.send(request('get_settings', 's'), user('x'));
    await player.finish();
    const isGiven = ['JSON', 'a file'].includes(name);
    const known = { sandbox: { enabled: true } };
    const response = isGiven
      ? { effective: known, sources: [{ source: 'flagSettings', settings: known }], applied: {} }
      : { effective: {}, sources: [], applied: {} };
    expect(player.frames).toEqual([
      { type: 'control_response', response: { subtype: 'success', request_id: 's', response } },
    ]);
  });

  test('get the answer of the header, or none where the header says null', async () => {
    const player = new PlayerProcess([{ in: { type: 'user' } }], {
      header: { answers: { mcp_status: { mcpServers: [{ name: 'x' }] }, interrupt: null } },
    });
    player.send(request('interrupt', 'a'), request('mcp_status', 'b'), user('x'));
    await player.finish();
    expect(player.frames).toEqual([
      {
        type: 'control_response',
        response: { subtype: 'success', request_id: 'b', response: { mcpServers: [{ name: 'x' }] } },
      },
    ]);
  });

  test('wait for the step that expects them, and the next one is answered by default', async () => {
    const expected = { type: 'control_request', request: { subtype: 'interrupt' } };
    const player = new PlayerProcess([
      { in: { type: 'user' } },
      ready,
      { in: expected, answer: { scripted: true } },
      { in: { type: 'last' } },
    ]);
    player.send(request('interrupt', 'a'), request('interrupt', 'b'), user('x'));
    await player.heard('"b"');
    player.send({ type: 'last' });
    await player.finish();
    expect(player.frames).toMatchObject([
      { type: 'ready' },
      { response: { request_id: 'a', response: { scripted: true } } },
      { response: { request_id: 'b', response: { still_queued: [] } } },
    ]);
  });
});

describe('waits, signals and stdin', () => {
  test('SIGTERM ends the player with 143, as the CLI', async () => {
    const player = new PlayerProcess([ready, { wait: 'forever' }]);
    await player.heard('ready');
    player.child.kill('SIGTERM');
    expect(await player.exit).toMatchObject({ code: 143, signal: null });
    expect(player.cli.verdict()).toMatchObject({ passed: false, end: 'signal', stepsPlayed: 1 });
    expect(player.cli.log().signals).toEqual(['SIGTERM']);
  });

  test('an ignored SIGTERM does not end it, SIGKILL does, and the log is whole', async () => {
    const player = new PlayerProcess([{ ignore: ['SIGTERM', 'EOF'] }, ready]);
    await player.heard('ready');
    player.send({ type: 'ping' });
    player.child.kill('SIGTERM');
    player.child.stdin.end();
    await expect
      .poll(() => player.cli.log())
      .toMatchObject({ signals: ['SIGTERM'], sawEof: true, frames: [{ type: 'ping' }] });
    expect(player.child.exitCode).toBeNull();
    player.child.kill('SIGKILL');
    expect(await player.exit).toMatchObject({ signal: 'SIGKILL' });
    expect(player.cli.log().exitCode).toBeUndefined();
  });

  test('wait for a signal goes on with the next step', async () => {
    const player = new PlayerProcess([ready, { wait: 'SIGTERM' }, { raw: 'bye' }, { exit: 9 }]);
    await player.heard('ready');
    player.child.kill('SIGTERM');
    expect(await player.exit).toMatchObject({ code: 9, stdout: '{"type":"ready"}\nbye' });
  });

  test('wait for EOF holds the steps after it until stdin ends', async () => {
    const player = new PlayerProcess([ready, { wait: 'EOF' }, { out: { type: 'after' } }]);
    await player.heard('ready');
    expect(player.frames).toEqual([{ type: 'ready' }]);
    await player.finish();
    expect(player.frames).toEqual([{ type: 'ready' }, { type: 'after' }]);
  });

  test('stdin close breaks the writer’s pipe', async () => {
    const player = new PlayerProcess([{ stdin: 'close' }, ready, { wait: 'forever' }]);
    await player.heard('ready');
    const broken = once(player.child.stdin, 'error');
    player.send({ type: 'lost' });
    expect((await broken)[0]).toMatchObject({ code: 'EPIPE' });
  });

  test('stdin pause leaves bytes in the pipe until resume', async () => {
    const player = new PlayerProcess([
      { stdin: 'pause' },
      ready,
      { wait: 'SIGHUP' },
      { out: { type: 'still paused' } },
      { wait: 'SIGINT' },
      { stdin: 'resume' },
      { in: { type: 'late' } },
      { exit: 0 },
    ]);
    await player.heard('ready');
    player.send({ type: 'late' });
    player.child.kill('SIGHUP');
    await player.heard('still paused');
    expect(player.cli.log().lines).toEqual([]);
    player.child.kill('SIGINT');
    expect(await player.exit).toMatchObject({ code: 0 });
    expect(player.cli.log().frames).toEqual([{ type: 'late' }]);
  });

  test('delayMs waits', async () => {
    const player = new PlayerProcess([{ delayMs: 30 }, ready]);
    await player.finish();
    expect(player.frames).toEqual([{ type: 'ready' }]);
  });
});
