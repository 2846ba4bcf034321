import { spawn } from 'node:child_process';
import type { Options } from '../../../../src/index.js';
import { turn } from '../../../helpers/cli-frames.js';
import { EOF } from '../../../helpers/session-case/steps.js';
import { type FakeCli, fakeCli } from '../harness/fake-cli.js';
import type { ParityRow } from '../harness/parity-case.js';
import { failureText, noCli, takeTurn } from './support.js';

async function withCli<T>(use: (cli: FakeCli) => Promise<T>): Promise<T> {
  const cli = fakeCli();
  try {
    return await use(cli);
  } finally {
    cli.remove();
  }
}

async function isRefused(options: Options): Promise<boolean> {
  return await withCli(async ({ path }) => {
    const text = await failureText(() => takeTurn({ pathToClaudeCodeExecutable: path, ...options }));
    return text !== 'nothing';
  });
}

export const optionRows: readonly ParityRow[] = [
  {
    ids: ['TS-046'],
    name: 'an empty config root',
    options: { projectConfigRoot: '' } as Options,
    cli: [...turn(), EOF],
    expect: { messages: ['system/init', 'assistant', 'result/success'] },
  },
  {
    ids: ['TS-001'],
    name: 'options that an object inherits count',
    differs: 'D-50',
    ...noCli,
    program: () =>
      withCli(async ({ path, runs }) => {
        const inherited: Options = { model: 'inherited' };
        const own: Options = { pathToClaudeCodeExecutable: path };
        await takeTurn(Object.assign(Object.create(inherited) as Options, own));
        return runs()[0]?.argv.filter((token) => token.includes('inherited')).length;
      }),
    expect: { ...noCli.expect, value: 1 },
  },
  {
    ids: ['TS-025', 'TS-029'],
    name: 'numbers that no CLI can take',
    differs: 'D-54',
    ...noCli,
    program: async () => [
      await isRefused({ maxThinkingTokens: 1.5 }),
      await isRefused({ taskBudget: { total: 2 ** 60 } }),
    ],
    expect: { ...noCli.expect, value: [true, true] },
  },
  {
    ids: ['TS-015'],
    name: 'what is empty or undefined does not reach a spawner',
    differs: 'D-54',
    ...noCli,
    program: (stage) =>
      withCli(async ({ path }) => {
        await takeTurn({
          pathToClaudeCodeExecutable: path,
          cwd: '',
          env: { ...process.env, NONE: undefined },
          spawnClaudeCodeProcess: ({ args, cwd, env }) => {
            stage.note([cwd, 'NONE' in env]);
            return spawn(path, args, { env, stdio: 'pipe' });
          },
        });
      }),
    expect: { ...noCli.expect, notes: [[undefined, false]] },
  },
  {
    ids: ['TS-152'],
    name: 'an error has nothing that would be sent somewhere',
    differs: 'D-55',
    ...noCli,
    program: async () => {
      try {
        await takeTurn({ pathToClaudeCodeExecutable: '/no/such/claude' });
        return 'nothing was thrown';
      } catch (error) {
        return 'telemetryMessage' in (error as Error);
      }
    },
    expect: { ...noCli.expect, value: false },
  },
];
