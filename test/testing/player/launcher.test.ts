import { execFileSync, spawnSync } from 'node:child_process';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ScenarioError } from '../../../src/testing/scenario/parse-scenario.js';
import { type Step, scriptedCli } from '../../helpers/scripted-cli.js';
import { PlayerProcess } from './player-process.js';

describe('the launcher', () => {
  for (const flag of ['--version', '-v']) {
    test(`answers ${flag} at once, without reading stdin`, () => {
      const cli = scriptedCli([{ wait: 'forever' }], { cliVersion: '2.9.9' });
      const stdout = execFileSync(process.execPath, [cli.path, flag], { input: '' });
      expect(String(stdout)).toBe('2.9.9 (Claude Code)\n');
      expect(cli.logs()).toEqual([]);
    });
  }

  test('is executable, with an empty environment too', () => {
    const cli = scriptedCli([{ out: { ok: true } }]);
    expect(statSync(cli.path).mode & 0o111).not.toBe(0);
    expect(spawnSync(cli.path, [], { env: {}, input: '' })).toMatchObject({
      status: 0,
      stdout: Buffer.from('{"ok":true}\n'),
    });
  });

  test('logs arguments, environment, directory and every line of stdin', async () => {
    const player = new PlayerProcess([], { args: ['--verbose', '--model=m'] });
    player.send({ type: 'a' });
    player.child.stdin.write('{"type":"b"}');
    await player.finish();
    expect(player.cli.logs()).toEqual([
      {
        pid: player.child.pid,
        spawn: 1,
        argv: ['--verbose', '--model=m'],
        execArgv: [],
        env: expect.objectContaining({ PATH: process.env.PATH }),
        cwd: process.cwd(),
        lines: ['{"type":"a"}', '{"type":"b"}'],
        frames: [{ type: 'a' }, { type: 'b' }],
        signals: [],
        sawEof: true,
        exitCode: 0,
      },
    ]);
  });

  test('plays a file, and a header given to the launcher wins over the file’s', async () => {
    const cli = scriptedCli([]);
    const file = join(cli.dir, 's.jsonl');
    writeFileSync(file, '{"scenario":"s","version":1,"cliVersion":"1"}\n\n{"out":{"n":1}}\n');
    const player = new PlayerProcess(file, { header: { scenario: 'other' } });
    expect(await player.finish()).toMatchObject({ code: 0, stdout: '{"n":1}\n' });
    expect(player.cli.verdict()).toMatchObject({ scenario: 'other', passed: true });
  });

  test('a file that cannot be played exits with 2 and names file and line', async () => {
    const cli = scriptedCli([]);
    const file = join(cli.dir, 's.jsonl');
    writeFileSync(file, '{"scenario":"s","version":1}\n{"oout":{}}\n');
    const exit = await new PlayerProcess(file).finish();
    expect(exit).toMatchObject({ code: 2, stdout: '' });
    expect(exit.stderr).toContain(`${file}:2: expected one of the step kinds`);
  });

  test('steps given in code are checked when the launcher is made', () => {
    expect(() => scriptedCli([{ exit: 256 }])).toThrow(ScenarioError);
    expect(() => scriptedCli([{ wrong: 1 } as unknown as Step])).toThrow(/scenario:1: /);
  });
});
