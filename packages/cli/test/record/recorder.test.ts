import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import { RecordedCli } from '../../../../test/testing/recorder/recorded-cli.js';

const ECHO = `process.stdin.pipe(process.stdout); process.stdin.on('end', () => { process.exitCode = 7; });`;
const frame = (value: unknown): string => `${JSON.stringify(value)}\n`;

describe('the recorder passes on', () => {
  test('bytes as they are, both ways, also what is no text', async () => {
    const cli = new RecordedCli(ECHO);
    const run = cli.start(['--verbose', '--model', 'm']);
    const bytes = Buffer.concat([
      Buffer.from('{"a":"é😀"}\r\n\n  {"b":1}\n'),
      Buffer.from([0xff, 0x00, 0xc3, 10]),
      Buffer.from('half'),
    ]);
    for (const byte of bytes) run.child.stdin.write(Buffer.from([byte]));
    run.child.stdin.end();
    const { code, stdout } = await run.ended;
    expect(stdout.equals(bytes)).toBe(true);
    expect(code).toBe(7);
    const lines = [{ a: 'é😀' }, '', { b: 1 }, expect.any(String), 'half'];
    expect(cli.data('in')).toEqual(lines);
    expect(cli.data('out')).toEqual(lines);
    expect(cli.events()).toEqual(['spawn', 'stdin_closed', 'exit', 'scrubbed']);
  });

  test('a large frame, whole', async () => {
    const cli = new RecordedCli(ECHO);
    const run = cli.start();
    const line = Buffer.from(frame({ text: 'x'.repeat(4 * 1024 * 1024) }));
    run.child.stdin.end(line);
    const { stdout } = await run.ended;
    const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
    expect(digest(stdout)).toBe(digest(line));
    expect(JSON.stringify(cli.data('out')[0]).length).toBe(line.length - 1);
  });

  test('back-pressure: a CLI that does not read stops the writer', async () => {
    const cli = new RecordedCli(
      `setTimeout(() => process.stdout.write('later\\n'), 300); setInterval(() => {}, 1000);`,
    );
    const run = cli.start();
    run.child.stdin.write(Buffer.alloc(32 * 1024 * 1024, 'x'));
    await run.heard('later');
    // A recorder that buffers without end would have taken it all by now.
    expect(run.child.stdin.writableLength).toBeGreaterThan(0);
    run.child.kill('SIGTERM');
    expect((await run.ended).signal).toBe('SIGTERM');
  });

  test('stderr, and its order in the recording', async () => {
    const cli = new RecordedCli(`process.stderr.write('one\\ntwo\\n'); process.stdin.resume();`);
    const run = cli.start();
    run.child.stdin.end();
    const { stderr, code } = await run.ended;
    expect(stderr.toString()).toBe('one\ntwo\n');
    expect(cli.data('err')).toEqual(['one', 'two']);
    expect(code).toBe(0);
  });

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('%s, and the death by it', async (signal) => {
    const cli = new RecordedCli(`process.stdout.write('ready\\n'); setInterval(() => {}, 1000);`);
    const run = cli.start();
    await run.heard('ready');
    run.child.kill(signal);
    const ended = await run.ended;
    expect([ended.code, ended.signal]).toEqual([null, signal]);
    expect(cli.data('meta')).toContainEqual({ event: 'signal_received', signal });
    expect(cli.data('meta')).toContainEqual({ event: 'exit', code: null, signal });
  });

  test('a signal that the CLI answers with a code of its own', async () => {
    const cli = new RecordedCli(
      `process.on('SIGTERM', () => process.exit(143)); process.stdout.write('ready\\n'); setInterval(() => {}, 1000);`,
    );
    const run = cli.start();
    await run.heard('ready');
    run.child.kill('SIGTERM');
    expect((await run.ended).code).toBe(143);
  });

  test('a reader that closes stdout', async () => {
    const cli = new RecordedCli(
      `process.stdout.on('error', () => process.exit(9)); setInterval(() => process.stdout.write('x\\n'), 1);`,
    );
    const run = cli.start();
    await run.heard('x');
    run.child.stdout.destroy();
    expect((await run.ended).code).toBe(9);
    expect(cli.events()).toContain('stdout_closed_by_reader');
  });

  test('a CLI that closes its stdin', async () => {
    const cli = new RecordedCli(
      `import { closeSync } from 'node:fs'; closeSync(0); process.stdout.write('closed\\n'); setTimeout(() => process.exit(3), 300);`,
    );
    const run = cli.start();
    await run.heard('closed');
    const failed = new Promise((resolve) => run.child.stdin.on('close', resolve));
    const writing = setInterval(() => run.child.stdin.write('{}\n'), 5);
    await failed;
    clearInterval(writing);
    expect((await run.ended).code).toBe(3);
  });

  test('a CLI that closes its stdout and lives on', async () => {
    const cli = new RecordedCli(
      `import { closeSync } from 'node:fs'; process.stdin.resume(); process.stdin.on('end', () => process.exit(4)); closeSync(1);`,
    );
    const run = cli.start();
    await once(run.child.stdout, 'end');
    expect(run.child.exitCode).toBe(null);
    run.child.stdin.end();
    expect((await run.ended).code).toBe(4);
  });

  test('--version, without recording it', async () => {
    const cli = new RecordedCli(ECHO);
    const { stdout, code } = await cli.start(['--version']).ended;
    expect([stdout.toString(), code]).toEqual(['9.9.9 (Fake)\n', 0]);
    const run = cli.start();
    run.child.stdin.end();
    await run.ended;
    expect(cli.recording.provenance).toMatchObject({ cli_version: '9.9.9' });
    expect(cli.recording.lines.every(({ proc }) => proc === 1)).toBe(true);
  });
});

describe('the recording', () => {
  test.each([
    [`1.2.3-beta+4 sk-ant-api03-abcdefgh (Fake)`, '1.2.3-beta+4'],
    [`1.${'2'.repeat(100_000)}`, `1.${'2'.repeat(62)}`],
    ['key sk-ant-api03-abcdefgh', 'unknown'],
  ])('has the version of the CLI, and no more of what it prints: case %#', async (cliVersion, expected) => {
    const cli = new RecordedCli(ECHO, { cliVersion });
    const run = cli.start();
    run.child.stdin.end();
    await run.ended;
    expect(cli.recording.provenance).toMatchObject({ cli_version: expected });
  });

  test('is whole after the recorder was killed, and the CLI ends', async () => {
    const cli = new RecordedCli(ECHO);
    const run = cli.start();
    run.child.stdin.write(frame({ type: 'user', n: 1 }));
    await run.heard('"n":1');
    run.child.stdin.write(frame({ type: 'user', n: 2 }));
    await run.heard('"n":2');
    run.child.kill('SIGKILL');
    await run.ended;
    expect(cli.recording.dropped).toBe(0);
    expect(cli.data('in')).toContainEqual({ type: 'user', n: 1 });
  });

  test('keeps processes apart that run at once', async () => {
    const cli = new RecordedCli(ECHO);
    const runs = Array.from({ length: 4 }, () => cli.start());
    for (const [index, { child }] of runs.entries()) {
      for (let line = 0; line < 50; line += 1) child.stdin.write(frame({ index, line }));
      child.stdin.end();
    }
    await Promise.all(runs.map(({ ended }) => ended));
    expect(cli.text.match(/"scenario"/g)).toHaveLength(1);
    expect(cli.recording.dropped).toBe(0);
    const indexes = [1, 2, 3, 4].map((proc) => {
      const lines = cli.data('in', proc) as { index: number; line: number }[];
      expect(lines.map(({ line }) => line)).toEqual(Array.from({ length: 50 }, (_, line) => line));
      return lines[0]?.index;
    });
    expect([...indexes].sort()).toEqual([0, 1, 2, 3]);
  });

  test('cannot be written any more: exit 73 and one line, and the CLI is not started', async () => {
    const cli = new RecordedCli(`process.stdout.write('started\\n');`);
    const folder = dirname(cli.out);
    mkdirSync(cli.out);
    const { code, stdout, stderr } = await cli.start().ended;
    expect([code, stdout.toString()]).toEqual([73, '']);
    expect(stderr.toString()).toMatch(/^claudewire record: [^\n]* cannot be written: [^\n]*\n$/);
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  test('says that the CLI could not be started', async () => {
    const cli = new RecordedCli(ECHO);
    rmSync(cli.cli);
    const { code } = await cli.start().ended;
    expect(code).not.toBe(0);
    expect(cli.events()).toContain('exit');
  });
});
