import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, readlinkSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { type Options, query, type SpawnedProcess, type SpawnOptions } from '../../../../src/index.js';
import { turn } from '../../../helpers/cli-frames.js';
import { until } from '../../../helpers/session-case/session-stage.js';
import { EOF, USER } from '../../../helpers/session-case/steps.js';
import { type FakeCli, fakeCli } from '../harness/fake-cli.js';
import type { ParityRow } from '../harness/parity-case.js';
import { SUBJECT } from '../harness/subject.js';
import { noCli, takeTurn } from './support.js';

function cliNamed(name: string): FakeCli {
  const cli = fakeCli(name);
  onTestFinished(cli.remove);
  return cli;
}

/** Which of the programs ran, and with what before the SDK's own flags. */
async function startedBy(options: Options, programs: Readonly<Record<string, FakeCli>>, dir: string) {
  const before = Object.values(programs).map((cli) => cli.runs().length);
  await takeTurn(options);
  return Object.entries(programs).flatMap(([name, cli], index) =>
    cli
      .runs()
      .slice(before[index])
      .map(({ argv }) => {
        const own = argv.slice(0, argv.indexOf('--output-format'));
        return [name, ...own.map((token) => token.replace(`${dir}/`, ''))];
      }),
  );
}

/** A process as small as the contract allows. */
function smallest(real: ReturnType<typeof spawn>): SpawnedProcess {
  return {
    stdin: real.stdin,
    stdout: real.stdout,
    get killed() {
      return real.killed;
    },
    get exitCode() {
      return real.exitCode;
    },
    kill: (signal: NodeJS.Signals) => real.kill(signal),
    on: (event: string, listener: (...args: unknown[]) => void) => void real.on(event, listener),
    once: (event: string, listener: (...args: unknown[]) => void) => void real.once(event, listener),
    off: (event: string, listener: (...args: unknown[]) => void) => void real.off(event, listener),
  } as unknown as SpawnedProcess;
}

export const spawnRows: readonly ParityRow[] = [
  {
    ids: ['TS-002'],
    name: 'the process is started and initialize is written although nobody iterates',
    ...noCli,
    program: async () => {
      const cli = cliNamed('claude');
      const started = query({ prompt: 'Hi', options: { pathToClaudeCodeExecutable: cli.path } });
      await until(() => cli.runs()[0]?.sawEof === true, 'the turn is over');
      for await (const _ of started);
      return cli.runs()[0]?.lines.map((line) => (JSON.parse(line) as { type: string }).type);
    },
    expect: { ...noCli.expect, value: ['control_request', 'user'] },
  },
  {
    ids: ['TS-009', 'TS-010', 'TS-011', 'TS-012'],
    name: 'scripts run with a runtime, everything else by itself',
    ...noCli,
    program: async () => {
      const programs = {
        node: cliNamed('node'),
        bun: cliNamed('bun'),
        deno: cliNamed('deno'),
        itself: cliNamed('claude'),
      };
      const { dir } = programs.itself;
      const PATH = Object.values(programs)
        .map((cli) => cli.dir)
        .join(':');
      const seen: unknown[] = [];
      for (const ending of ['js', 'mjs', 'ts', 'tsx', 'jsx', 'cjs', 'JS', 'exe', 'sh']) {
        const path = join(dir, `x.${ending}`);
        symlinkSync(programs.itself.path, path);
        seen.push([ending, ...(await startedBy({ pathToClaudeCodeExecutable: path, env: { PATH } }, programs, dir))]);
      }
      for (const executable of ['bun', 'deno', 'node'] as const) {
        const options = { pathToClaudeCodeExecutable: join(dir, 'x.js'), env: { PATH }, executable };
        seen.push([executable, ...(await startedBy(options, programs, dir))]);
      }
      for (const path of [join(dir, 'x.js'), programs.itself.path]) {
        const options = { pathToClaudeCodeExecutable: path, env: { PATH }, executableArgs: ['--first', 'second'] };
        seen.push(await startedBy(options, programs, dir));
      }
      return seen;
    },
    expect: {
      ...noCli.expect,
      value: [
        ...['js', 'mjs', 'ts', 'tsx', 'jsx'].map((ending) => [ending, ['node', `x.${ending}`]]),
        ...['cjs', 'JS', 'exe', 'sh'].map((ending) => [ending, ['itself']]),
        ...['bun', 'deno', 'node'].map((runtime) => [runtime, [runtime, 'x.js']]),
        [['node', '--first', 'second', 'x.js']],
        [['itself', '--first', 'second']],
      ],
    },
  },
  {
    ids: ['TS-013', 'TS-014'],
    name: 'the working directory, and a bare name that is found in the PATH of the child',
    ...noCli,
    program: async () => {
      const cli = cliNamed('a-claude');
      const PATH = cli.dir;
      await takeTurn({ pathToClaudeCodeExecutable: 'a-claude', env: { PATH } });
      await takeTurn({ pathToClaudeCodeExecutable: 'a-claude', env: { PATH }, cwd: cli.dir });
      return cli
        .runs()
        .map(({ cwd }) => (cwd === realpathSync(cli.dir) ? 'given' : cwd === process.cwd() ? "the host's" : cwd));
    },
    expect: { ...noCli.expect, value: ["the host's", 'given'] },
  },
  {
    ids: ['TS-015'],
    name: 'a spawner of the caller is called once, at once, and nobody looks whether the path exists',
    ...noCli,
    program: async (stage) => {
      const cli = cliNamed('claude');
      let isReturned = false;
      const started = query({
        prompt: 'Hi',
        options: {
          pathToClaudeCodeExecutable: '/no/such/claude',
          spawnClaudeCodeProcess: (options) => {
            const { command, args, cwd, env, signal } = options;
            stage.note([isReturned, Object.keys(options).sort(), command, args, cwd, signal.aborted]);
            return spawn(cli.path, args, { env, stdio: 'pipe' });
          },
        },
      });
      isReturned = true;
      for await (const { type } of started) stage.note(type);
    },
    expect: {
      ...noCli.expect,
      notes: [
        [
          false,
          ['args', 'command', 'cwd', 'env', 'signal'],
          '/no/such/claude',
          ['--output-format', 'stream-json', '--verbose', '--input-format', 'stream-json'],
          undefined,
          false,
        ],
        'result',
      ],
    },
  },
  {
    ids: ['TS-016'],
    name: 'what a spawner throws leaves query() at once',
    ...noCli,
    program: async () => {
      try {
        query({
          prompt: 'Hi',
          options: {
            pathToClaudeCodeExecutable: 'x',
            spawnClaudeCodeProcess: () => {
              throw new RangeError('no more processes');
            },
          },
        });
        return 'nothing was thrown';
      } catch (error) {
        return String(error);
      }
    },
    expect: { ...noCli.expect, value: 'RangeError: no more processes' },
  },
  {
    ids: ['TS-017'],
    name: 'the smallest process of a spawner is enough for a turn',
    options: {
      spawnClaudeCodeProcess: ({ command, args, cwd, env }: SpawnOptions) =>
        smallest(spawn(command, args, { cwd, env, stdio: ['pipe', 'pipe', 'inherit'] })),
    },
    cli: [...turn(), EOF],
    expect: { messages: ['system/init', 'assistant', 'result/success'] },
  },
  {
    ids: ['TS-018'],
    name: 'three pipes, in the process group of the host',
    cli: [USER, { out: { type: 'system', subtype: 'marker' } }, ...turn().slice(1), EOF],
    program: async (stage) => {
      await stage.drain('system/marker');
      const { pid } = stage.cli.log();
      const group = (of: number): string | undefined =>
        readFileSync(`/proc/${of}/stat`, 'utf8').split(') ')[1]?.split(' ')[2];
      const kinds = [0, 1, 2].map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`).split(':')[0]);
      const value = [group(pid) === group(process.pid), kinds];
      await stage.drain();
      return value;
    },
    expect: { value: [true, ['socket', 'socket', 'socket']] },
  },
  {
    ids: ['TS-020', 'TS-059'],
    name: 'without a path the platform package beside the SDK is started, without a word about servers',
    ...noCli,
    fresh: true,
    program: async () => {
      const cli = cliNamed('claude');
      const modules = join(cli.dir, 'node_modules');
      const platform = join(modules, '@anthropic-ai', `claude-agent-sdk-${process.platform}-${process.arch}`);
      mkdirSync(platform, { recursive: true });
      writeFileSync(join(platform, 'package.json'), '{"name":"x","version":"0.3.330"}');
      symlinkSync(cli.path, join(platform, 'claude'));
      const entry = copyOfSubject(modules);
      const copy = (await import(entry)) as { query: typeof query };
      const messages: string[] = [];
      const options = { mcpServers: { a: { command: 'x' } } };
      for await (const { type } of copy.query({ prompt: 'Hi', options })) messages.push(type);
      return [cli.runs().map(({ argv }) => argv.slice(-2)), messages];
    },
    expect: { ...noCli.expect, value: [[['--mcp-config', '{"mcpServers":{"a":{"command":"x"}}}']], ['result']] },
  },
];

/** The package under test once more, in a folder of our own; what it depends on stays where it is. */
function copyOfSubject(modules: string): string {
  const entry = fileURLToPath(process.env.PARITY_SUBJECT ?? '');
  const home = SUBJECT === 'ours' ? dirname(dirname(entry)) : dirname(entry);
  const name = SUBJECT === 'ours' ? 'claudewire' : join('@anthropic-ai', 'claude-agent-sdk');
  const target = join(modules, name);
  cpSync(home, target, { recursive: true, filter: (path) => !path.slice(home.length).includes('node_modules') });
  for (const dependency of ['zod', '@modelcontextprotocol', 'ajv', 'ajv-formats', 'pino']) {
    const from = findModule(home, dependency);
    if (from !== undefined) symlinkSync(from, join(modules, dependency));
  }
  return join(target, entry.slice(home.length + 1));
}

function findModule(from: string, name: string): string | undefined {
  for (let dir = from; dir !== dirname(dir); dir = dirname(dir)) {
    try {
      return realpathSync(join(dir, 'node_modules', name));
    } catch {
      // Further up.
    }
  }
  return undefined;
}
