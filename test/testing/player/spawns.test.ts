import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { checkSpawn } from '../../../src/testing/player/check-spawn.js';
import { Variables } from '../../../src/testing/player/patterns.js';
import type { SpawnExpectation, Step } from '../../../src/testing/scenario/scenario-types.js';
import { Launched, text } from './launched.js';

const twoSections: readonly Step[] = [{ spawn: {} }, { out: { n: 1 } }, { spawn: {} }, { out: { n: 2 } }];

describe('spawn sections', () => {
  test('the n-th process plays the n-th section, and one more fails', async () => {
    const launched = new Launched(twoSections);
    const outputs: string[] = [];
    for (let n = 0; n < 3; n += 1) {
      const child = launched.start();
      child.stdin.end();
      outputs.push(await text(child));
    }
    expect(outputs).toEqual(['{"n":1}\n', '{"n":2}\n', '']);
    expect(launched.verdict(1)).toMatchObject({ spawn: 1, passed: true, stepsTotal: 1 });
    expect(launched.verdict(2)).toMatchObject({ spawn: 2, passed: true });
    expect(launched.verdict(3)).toMatchObject({
      passed: false,
      exitCode: 3,
      failure: { message: 'spawn 3 is not in the scenario' },
    });
  });

  test('processes that start at once get different sections', async () => {
    const many = Array.from({ length: 6 }, (_, n) => [{ spawn: {} }, { out: { n } }]).flat();
    const launched = new Launched(many);
    const outputs = await Promise.all(
      many
        .filter((step) => 'spawn' in step)
        .map(() => {
          const child = launched.start();
          child.stdin.end();
          return text(child);
        }),
    );
    expect(outputs.sort()).toEqual([0, 1, 2, 3, 4, 5].map((n) => `{"n":${n}}\n`));
  });

  test('--version is no process of the scenario', async () => {
    const launched = new Launched(twoSections);
    await once(launched.start(['-v']), 'close');
    expect(await launched.play()).toMatchObject({ spawn: 1, passed: true });
  });

  test('every log line has a time, the pid and the number of its process', async () => {
    const launched = new Launched(twoSections);
    await launched.play([{ type: 'a' }]);
    await launched.play();
    expect(launched.log().map(({ event, spawn }) => `${event} ${spawn}`)).toEqual([
      'start 1',
      'in 1',
      'eof 1',
      'end 1',
      'start 2',
      'eof 2',
      'end 2',
    ]);
    for (const { t, pid } of launched.log()) expect([t > 0, pid > 0]).toEqual([true, true]);
  });

  test('a launcher in the same folder starts counting anew', async () => {
    const first = new Launched(twoSections);
    await first.play();
    first.launcher.folder.reset();
    expect(first.verdict(1)).toBeUndefined();
    expect(await first.play()).toMatchObject({ spawn: 1 });
  });
});

describe('what a spawn step says of the process', () => {
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'claudewire-cwd-')));
  mkdirSync(join(cwd, 'sub'));
  const config = join(cwd, 'config');
  mkdirSync(join(config, 'projects', 'p'), { recursive: true });
  writeFileSync(join(config, 'projects', 'p', 's.jsonl'), '{"n":1}\n{"n":2}\n');
  writeFileSync(join(config, 'settings.json'), '{"a":{"b":1}}');
  const cases: readonly {
    readonly name: string;
    readonly spawn: SpawnExpectation;
    readonly args?: readonly string[];
    readonly env?: Record<string, string>;
    readonly cwd?: string;
    /** Of the failure; absent: it passes. */
    readonly fails?: string;
  }[] = [
    { name: '--k v', spawn: { argv: { '--model': 'm' } }, args: ['--model', 'm'] },
    { name: '--k=v', spawn: { argv: { '--model': 'm' } }, args: ['--model=m'] },
    { name: 'an empty value', spawn: { argv: { '--system-prompt': '' } }, args: ['--system-prompt', '', '--verbose'] },
    { name: 'a value that looks like a flag', spawn: { argv: { '--a': '-x' } }, args: ['--a', '-x'] },
    {
      name: 'another value',
      spawn: { argv: { '--model': 'm' } },
      args: ['--model', 'n'],
      fails: 'argv --model: expected string "m", found string "n"',
    },
    {
      name: 'the last of a repeated flag',
      spawn: { argv: { '--model': 'n' } },
      args: ['--model', 'm', '--model', 'n'],
    },
    {
      name: 'a missing flag',
      spawn: { argv: { '--model': 'm' } },
      args: ['--verbose'],
      fails: 'argv --model: expected --model, found nothing',
    },
    { name: 'a number', spawn: { argv: { '--max-turns': 3 } }, args: ['--max-turns', '3'] },
    { name: 'a bare flag', spawn: { argv: { '--verbose': true } }, args: ['--verbose', '--x'] },
    {
      name: 'a bare flag with a value',
      spawn: { argv: { '--verbose': true } },
      args: ['--verbose', 'yes'],
      fails: 'argv --verbose: expected no value, found "yes"',
    },
    {
      name: 'a bare flag with a value after =',
      spawn: { argv: { '--verbose': true } },
      args: ['--verbose=yes'],
      fails: 'argv --verbose: expected no value',
    },
    { name: 'an absent flag', spawn: { argv: { '--print': '$absent' } } },
    {
      name: 'a flag that must be absent',
      spawn: { argv: { '--print': '$absent' } },
      args: ['--print'],
      fails: 'argv --print: expected no --print, found it',
    },
    { name: 'what follows -- is no flag', spawn: { argv: { '-p': '$absent' } }, args: ['--', '-p'] },
    {
      name: 'a list as a repeated flag',
      spawn: { argv: { '--add-dir': ['/a', '/b'] } },
      args: ['--add-dir', '/a', '--x', '--add-dir=/b'],
    },
    {
      name: 'a list as several arguments',
      spawn: { argv: { '--add-dir': ['/a', '/b'] } },
      args: ['--add-dir', '/a', '/b'],
    },
    { name: 'a list as commas', spawn: { argv: { '--tools': ['A', 'B'] } }, args: ['--tools=A,B'] },
    { name: 'an empty list', spawn: { argv: { '--tools': [] } }, args: ['--tools', ''] },
    { name: 'a list in another order', spawn: { argv: { '--tools': ['A', 'B'] } }, args: ['--tools', 'B,A'] },
    {
      name: 'a list without an entry',
      spawn: { argv: { '--tools': ['A', 'B'] } },
      args: ['--tools', 'A'],
      fails: 'argv --tools: expected the entry "B", found "A"',
    },
    {
      name: 'a list with one entry more',
      spawn: { argv: { '--tools': 'A,B' } },
      args: ['--tools', 'A,C,B'],
      fails: 'argv --tools: expected no other entry, found "C"',
    },
    {
      name: 'another name of a flag',
      spawn: { argv: { '--allowedTools': 'Read,Bash(git log, x:*)', '--resume': 'id', '-c': true } },
      args: ['--allowed-tools', 'Bash(git log, x:*) Read', '-r', 'id', '--continue'],
    },
    {
      name: 'another name of a flag that must not be given',
      spawn: { argv: { '--disallowedTools': '$absent' } },
      args: ['--disallowed-tools=Read'],
      fails: 'argv --disallowedTools: expected no --disallowedTools, found it',
    },
    {
      name: 'another name of a flag, and no other flag',
      spawn: { argv: { '--allowedTools': ['Read'], '--print': true }, argvOnly: true },
      args: ['--allowed-tools', 'Read', '-p'],
    },
    {
      name: 'a list of folders as commas',
      spawn: { argv: { '--add-dir': ['/a', '/b'] } },
      args: ['--add-dir', '/a,/b'],
      fails: 'argv --add-dir: expected the entry "/a", found "/a,/b"',
    },
    {
      name: 'other spellings of numbers',
      spawn: { argv: { '--max-budget-usd': '0.5', '--max-turns': 3, '--task-budget': '5000' } },
      args: ['--max-budget-usd', '0.50', '--max-turns=3.0', '--task-budget', '5e3'],
    },
    {
      name: 'another number',
      spawn: { argv: { '--max-budget-usd': '0.5' } },
      args: ['--max-budget-usd', ''],
      fails: 'argv --max-budget-usd: expected string "0.5", found string ""',
    },
    {
      name: 'JSON in a file',
      spawn: { argv: { '--settings': { a: { b: 1 } }, '--mcp-config': { a: {}, mcpServers: { y: {} } } } },
      args: ['--settings=config/settings.json', '--mcp-config', 'config/settings.json', '{"mcpServers":{"y":{}}}'],
      cwd,
    },
    {
      name: 'one of several ways',
      spawn: { argv: { '-p': { $oneOf: ['$absent', true] }, '--betas': { $oneOf: ['a,b', ['a', 'b']] } } },
      args: ['--print', '--betas', 'a', 'b'],
    },
    {
      name: 'none of several ways',
      spawn: { argv: { '-p': { $oneOf: ['$absent', true] } } },
      args: ['--print', 'hi'],
      fails: 'argv -p: expected no value, found "hi"',
    },
    {
      name: 'one of several flags',
      spawn: {
        argvOnly: true,
        argv: { '--verbose': true, $oneOf: [{ '--thinking': 'disabled' }, { '--max-thinking-tokens': '0' }] },
      },
      args: ['--max-thinking-tokens', '0', '--verbose'],
    },
    {
      name: 'none of several flags',
      spawn: { argv: { $oneOf: [{ '--thinking': 'disabled' }, { '--max-thinking-tokens': '0' }] } },
      args: ['--max-thinking-tokens', '5'],
      fails: 'argv --thinking: expected --thinking, found nothing',
    },
    {
      name: 'a prompt in a file',
      spawn: { argv: { '--system-prompt': { $contains: '"b":1' }, '--append-system-prompt': '$absent' } },
      args: ['--system-prompt-file', 'config/settings.json'],
      cwd,
    },
    {
      name: 'JSON',
      spawn: { argv: { '--mcp-config': { mcpServers: { x: { type: 'sdk' } } } } },
      args: ['--mcp-config', '{"mcpServers":{"x":{"type":"sdk","name":"x"}}}'],
    },
    {
      name: 'other JSON',
      spawn: { argv: { '--mcp-config': { mcpServers: { x: { type: 'sdk' } } } } },
      args: ['--mcp-config', '{"mcpServers":{"x":{"type":"http"}}}'],
      fails: 'argv --mcp-config.mcpServers.x.type: expected string "sdk", found string "http"',
    },
    {
      name: 'no JSON',
      spawn: { argv: { '--settings': { a: 1 } } },
      args: ['--settings', 'file.json'],
      fails: 'argv --settings: expected a JSON object, found "file.json"',
    },
    {
      name: 'a text with a gap',
      spawn: { argv: { '--mcp-config': { $like: ['', '/x.json'] }, '--add-dir': [{ $like: ['/a', ''] }] } },
      args: ['--mcp-config=/any/x.json', '--add-dir', '/a/b'],
    },
    {
      name: 'another text around the gap',
      spawn: { argv: { '--mcp-config': { $like: ['', '/x.json'] } } },
      args: ['--mcp-config=/any/y.json'],
      fails: 'argv --mcp-config: expected a text like */x.json, found string "/any/y.json"',
    },
    {
      name: 'no other flags',
      spawn: { argvOnly: true, argv: { '--verbose': true, '--a': '-x', '--l': ['-1', 'b'] } },
      args: ['--a', '-x', '--verbose', '--l', '-1', '--l=b', '--', '--other'],
    },
    {
      name: 'another flag',
      spawn: { argvOnly: true, argv: { '--verbose': true } },
      args: ['--verbose', '--permission-mode=bypassPermissions'],
      fails: 'argv --permission-mode: expected no such flag, found it',
    },
    {
      name: 'another flag without a value',
      spawn: { argvOnly: true },
      args: ['--dangerously-skip-permissions'],
      fails: 'argv --dangerously-skip-permissions: expected no such flag, found it',
    },
    { name: 'a variable of the environment', spawn: { env: { A: '1' } }, env: { A: '1', B: '2' } },
    {
      name: 'another value in the environment',
      spawn: { env: { A: '1' } },
      env: { A: '2' },
      fails: 'env.A: expected string "1", found string "2"',
    },
    { name: 'a variable that is not set', spawn: { env: { A: '$absent' } } },
    {
      name: 'a variable that must not be set',
      spawn: { env: { A: '$absent' } },
      env: { A: '' },
      fails: 'env.A: expected no such key',
    },
    { name: 'the directory', spawn: { cwd: '$cwd' }, cwd },
    { name: 'another directory', spawn: { cwd: '$cwd' }, cwd: join(cwd, 'sub'), fails: 'cwd: expected $cwd = ' },
    {
      name: 'files of the configuration folder',
      spawn: {
        configFiles: {
          's.jsonl': [{ n: 1 }, { n: '$n' }],
          'settings.json': { a: { b: 1, c: '$absent' } },
          'other.json': '$absent',
          'ettings.json': '$absent',
        },
      },
    },
    {
      name: 'a file that is not there',
      spawn: { configFiles: { 't.jsonl': [] } },
      fails: 'configFiles.t.jsonl: expected',
    },
    {
      name: 'a file that must not be there',
      spawn: { configFiles: { 'settings.json': '$absent' } },
      fails: 'configFiles.settings.json: expected no such key',
    },
    { name: '$cwd in the arguments', spawn: { argv: { '--add-dir': ['$cwd'] } }, args: ['--add-dir', cwd], cwd },
  ];
  for (const { name, spawn, args = [], fails, ...options } of cases) {
    test(`${name}: ${fails === undefined ? 'as expected' : 'not as expected'}`, () => {
      const { env, cwd: own = '/elsewhere' } = options;
      const process = { argv: args, env: { CLAUDE_CONFIG_DIR: config, ...env }, cwd: own, expectedCwd: cwd };
      const check = () => checkSpawn(spawn, process, new Variables());
      if (fails === undefined) expect(check).not.toThrow();
      else expect(check).toThrow(fails);
    });
  }

  test('a process that was not started as expected plays nothing', async () => {
    const launched = new Launched([{ spawn: { cwd: '$cwd' } }, { out: {} }], {}, { cwd });
    expect(await launched.play([], [], { cwd })).toMatchObject({ passed: true });
    const other = new Launched([{ spawn: { cwd: '$cwd' } }, { out: {} }], {}, { cwd });
    expect(await other.play([], [], { cwd: join(cwd, 'sub') })).toMatchObject({
      passed: false,
      end: 'mismatch',
      exitCode: 3,
      stepsPlayed: 0,
      failure: { message: expect.stringContaining('cwd: expected $cwd = '), where: 'inline:1', line: 1 },
    });
  });
  afterAll(() => rmSync(cwd, { recursive: true, force: true }));

  test('what it captures is there for the steps of its section', async () => {
    const launched = new Launched([{ spawn: { argv: { '--session-id': '$id' } } }, { out: { session_id: '$id' } }]);
    const child = launched.start(['--session-id=s-7']);
    child.stdin.end();
    expect(await text(child)).toBe('{"session_id":"s-7"}\n');
  });
});
