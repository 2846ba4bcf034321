import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { vi } from 'vitest';
import { type Options, query } from '../../../../src/index.js';
import { initFrame, turn } from '../../../helpers/cli-frames.js';
import { scriptedCli } from '../../../helpers/scripted-cli.js';
import { stopTheClock, until } from '../../../helpers/session-case/session-stage.js';
import { answered, ask, EOF, hookCallback, item, RESULT, USER } from '../../../helpers/session-case/steps.js';
import { errorAsData } from '../harness/as-data.js';
import { fakeCli } from '../harness/fake-cli.js';
import type { ParityRow } from '../harness/parity-case.js';
import { envAfterImport, envBeforeImport } from '../harness/subject.js';
import { cliGone, failureText, noCli, takeTurn } from './support.js';

const LATER = { out: { type: 'system', subtype: 'later' } };
const MARKER = { out: { type: 'system', subtype: 'marker' } };

/** A program of its own that starts two runs and ends by `process.exit()` in the midst of them. */
const LEAVES = `
const { query } = await import(process.argv[2]);
for (const path of process.argv.slice(3)) {
  const started = query({ prompt: 'Hi', options: { pathToClaudeCodeExecutable: path } });
  await started.next();
}
process.exit(0);
`;

export const lifecycleRows: readonly ParityRow[] = [
  {
    ids: ['TS-163'],
    name: 'process.exit() of the host sends SIGTERM to every process that lives',
    ...noCli,
    program: async (stage) => {
      const steps = [
        { ignore: ['EOF' as const] },
        USER,
        { out: initFrame() },
        { wait: 'SIGTERM' as const },
        { exit: 0 },
      ];
      const clis = [scriptedCli(steps), scriptedCli(steps)];
      const program = join(stage.cli.dir, 'leaves.mjs');
      writeFileSync(program, LEAVES);
      const args = [program, process.env.PARITY_SUBJECT ?? '', ...clis.map(({ path }) => path)];
      spawn(process.execPath, args, { stdio: 'ignore' });
      await until(() => clis.every((cli) => cli.logs()[0]?.exitCode !== undefined), 'both have ended');
      return clis.map((cli) => cli.log().signals);
    },
    expect: { ...noCli.expect, value: [['SIGTERM'], ['SIGTERM']] },
  },
  {
    ids: ['TS-172'],
    name: 'a line of 64 MiB is delivered',
    ...noCli,
    program: async (stage) => {
      const path = join(stage.cli.dir, 'long.mjs');
      writeFileSync(
        path,
        `process.stdin.resume();
        process.stdout.write(JSON.stringify({ type: 'system', text: 'x'.repeat(64 * 1024 * 1024) }) + '\\n');
        process.stdout.write('{"type":"result","subtype":"success"}\\n');`,
      );
      const [long, result] = await takeTurn({ pathToClaudeCodeExecutable: path });
      return [(long as unknown as { text: string }).text.length, result?.type];
    },
    expect: { ...noCli.expect, value: [64 * 1024 * 1024, 'result'] },
  },
  {
    ids: ['TS-093'],
    name: 'a request after the input ended rejects while the turn still runs',
    differs: 'D-05',
    prompt: [item('one')],
    cli: [USER, EOF, MARKER, { delayMs: 150 }, LATER, RESULT],
    program: async (stage) => {
      await stage.drain('system/marker');
      const refused = stage.query.interrupt().catch(() => stage.note('refused'));
      await stage.drain('system/later');
      stage.note('still running');
      await stage.drain();
      await refused;
    },
    expect: { notes: ['refused', 'still running'] },
  },
  {
    ids: ['TS-157'],
    name: 'an error of the prompt reaches the loop, and the prompt is returned when the loop is left',
    differs: 'D-08',
    prompt: async function* () {
      yield item('one');
      throw new RangeError('the prompt broke');
    },
    cli: [USER, EOF],
    expect: { error: { name: 'PromptError', cause: { name: 'RangeError', message: 'the prompt broke' } } },
  },
  {
    ids: ['TS-160'],
    name: 'the prompt is returned when the loop is left',
    differs: 'D-09',
    cli: [USER, { out: initFrame() }, EOF],
    prompt: (stage) => ({
      [Symbol.asyncIterator]() {
        const values = [item('one')];
        return {
          next: async () => {
            const value = values.shift();
            return value === undefined ? new Promise<never>(() => {}) : { value, done: false as const };
          },
          return: async () => {
            stage.note('returned');
            return { value: undefined, done: true as const };
          },
        };
      },
    }),
    program: async ({ query: started }) => {
      await started.next();
      await started.return();
    },
    expect: { notes: ['returned'] },
  },
  {
    ids: ['TS-157'],
    name: 'with an aborted controller nothing is started',
    differs: 'D-10',
    ...noCli,
    program: async (stage) => {
      stage.abortController.abort('enough');
      const { abortController } = stage;
      let error: unknown;
      try {
        const options: Options = {
          pathToClaudeCodeExecutable: stage.cli.path,
          abortController,
          spawnClaudeCodeProcess: ({ command, args, env }) => {
            stage.note('started');
            return spawn(command, args, { env, stdio: 'pipe' });
          },
        };
        for await (const _ of query({ prompt: 'Hi', options }));
      } catch (thrown) {
        error = thrown;
      }
      return (errorAsData(error) as { isAbortError: boolean }).isAbortError;
    },
    expect: { ...noCli.expect, value: true },
  },
  {
    ids: ['TS-124'],
    name: 'a hook that returns nothing has no opinion',
    differs: 'D-17',
    options: { hooks: { Stop: [{ hooks: [(() => {}) as never] }] } },
    cli: [USER, hookCallback('h1', 'hook_0'), answered('h1'), RESULT, EOF],
    expect: { answers: { h1: { ok: {} } } },
  },
  {
    ids: ['TS-003'],
    name: "the host's own environment stays what it is",
    differs: 'D-18',
    fresh: true,
    cli: turn(),
    program: async (stage) => {
      await stage.drain();
      const changed = (after: NodeJS.ProcessEnv): string[] =>
        Object.keys({ ...envBeforeImport, ...after }).filter((name) => envBeforeImport[name] !== after[name]);
      return [changed(envAfterImport), changed(process.env)];
    },
    expect: { value: [[], []] },
  },
  {
    ids: ['TS-003'],
    name: 'the CLI is told which SDK it is',
    differs: 'D-45',
    cli: turn(),
    program: async (stage) => {
      await stage.drain();
      return /^(?:claudewire\/)?\d+\.\d+\.\d+/.exec(stage.cli.log().env.CLAUDE_AGENT_SDK_VERSION ?? '')?.[0].split('/')
        .length;
    },
    expect: { value: 2 },
  },
  {
    ids: ['TS-129'],
    name: 'requests for tokens are refused without a code',
    cli: [
      USER,
      ...['oauth_token_refresh', 'host_auth_token_refresh'].flatMap((subtype) => [
        ask(subtype, { subtype }),
        answered(subtype),
      ]),
      RESULT,
      EOF,
    ],
    expect: {
      answers: {
        oauth_token_refresh: { error: 'is not provided' },
        host_auth_token_refresh: { error: 'is not provided' },
      },
    },
  },
  {
    ids: ['TS-041'],
    name: 'a skill whose name could hold another rule is refused',
    differs: 'D-41',
    ...noCli,
    program: async () => {
      const cli = fakeCli();
      const options = { pathToClaudeCodeExecutable: cli.path, skills: ['x),Bash(*'] };
      const text = await failureText(() => takeTurn(options));
      cli.remove();
      return text.includes('skills');
    },
    expect: { ...noCli.expect, value: true },
  },
  {
    ids: ['TS-161'],
    name: 'close() with a custom spawn: SIGTERM at 2 s, and the signal tells of it',
    differs: 'D-26',
    options: (stage) => ({
      spawnClaudeCodeProcess: ({ command, args, env, signal }) => {
        signal.addEventListener('abort', () => stage.note(['aborted', performance.now()]));
        return spawn(command, args, { env, stdio: 'pipe' });
      },
    }),
    cli: [{ ignore: ['EOF'] }, USER, { out: initFrame() }, { wait: 'SIGTERM' }, { exit: 0 }],
    program: async (stage) => {
      stopTheClock();
      await stage.drain('system/init');
      stage.query.close();
      await vi.advanceTimersByTimeAsync(2000);
      await stage.drain();
      await cliGone(stage);
    },
    expect: { notes: [['aborted', 2000]], signals: [[2000, 'SIGTERM']], diagnostics: ['process_signalled'] },
  },
];
