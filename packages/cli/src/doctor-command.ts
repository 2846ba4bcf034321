import type { CheckItem, CheckReport } from 'claudewire/adapter';
import { type Command, InvalidArgumentError } from 'commander';
import type { CheckWays } from '../../../src/adapter/doctor/check-report.js';
import { variableName } from '../../../src/adapter/options/read-fields.js';
import { omitUndefined } from '../../../src/util/json.js';
import type { Finding } from './doctor/finding.js';
import { cliPath } from './find-program.js';
import { colorsFor, ExitCode, type ProgramHost } from './program-host.js';
import { harmlessJson, safeText } from './safe-text.js';

const HELP = `
Looks for the CLI and asks for its version, for something to log in with, whether bypass mode may be used, whether the
temporary directory can be written, and how the clock runs. Then says for query() and each mode of the adapter whether it
would start. No call of a model is made.

Also looks at the version of Node, gateways, proxies and certificates in the environment, variables of an outer Claude Code, settings that
decide in the place of a program's callbacks, and configured MCP servers whose command is missing. These are warnings:
a run would start. --mcp starts every server and asks for its tools, within 10 seconds each.

Exit codes:
  0    query() would start, and so would what --permission-mode and --isolation ask about
  1    one of these would not, or with --mcp a server did not
  2    the arguments cannot be used`;

const WAYS: CheckWays = {
  listsPlaces: true,
  executable: 'give its path: `--cli <path>`, or the variable CLAUDE_CODE_EXECUTABLE',
  isolatedCredential: 'Set ANTHROPIC_API_KEY, or hand on another variable: `--pass-env CLAUDE_CODE_OAUTH_TOKEN`.',
  root: 'Run as another user, choose another mode (`--permission-mode default`), or, on a machine that is a throw-away container, set IS_SANDBOX=1; isolated runs also need `--pass-env IS_SANDBOX`.',
  permissionMode: 'Change `--permission-mode`.',
  noSandbox: 'Or go on without: a program that isolates its runs says `isolation.sandbox.required: false`.',
};

interface DoctorArguments {
  readonly json?: boolean;
  readonly isolation?: boolean;
  readonly mcp?: boolean;
  readonly passEnv?: readonly string[];
  readonly cli?: string;
  readonly permissionMode?: string;
}

/** Adds `claudewire doctor`. */
export function addDoctorCommand(program: Command, host: ProgramHost, onExit: (code: number) => void): void {
  program
    .command('doctor')
    .description('Says whether a run could start on this machine, and what to do when not.')
    .option('--isolation', 'also what isolated runs need: starts a sandbox once')
    .option('--mcp', 'also starts every configured MCP server, for a moment')
    .option('--pass-env <names...>', 'variables of the host that isolated runs get', names)
    .option('--cli <path>', 'the CLI to look at (default: looked for, as a run does)', cliPath)
    .option('--permission-mode <mode>', 'one mode of the adapter (default: each)', checkedText)
    .option('--json', 'prints one JSON object')
    .addHelpText('after', HELP)
    .action(async (args: DoctorArguments) => {
      const [judged, findings] = await Promise.all([examine(args, host.env), lookAround(args.mcp === true, host)]);
      // What was found is that it was stopped.
      if (host.abortController.signal.aborted) return onExit(ExitCode.interrupted);
      const hasFailed = findings.some(({ status }) => status === 'failed');
      const report = { ...judged, passed: judged.passed && !hasFailed, findings };
      host.stdout.write(
        args.json === true ? `${harmlessJson(JSON.stringify(report, null, 2))}\n` : reportText(report, host),
      );
      onExit(report.passed ? ExitCode.ok : ExitCode.failed);
    });
}

function checkedText(value: string): string {
  if (value === '') throw new InvalidArgumentError('It is empty.');
  return value;
}

function names(name: string, others: readonly string[] = []): readonly string[] {
  const problem = variableName(name, '');
  if (problem !== undefined) throw new InvalidArgumentError(`It must be ${problem.expected}.`);
  return [...others, name];
}

async function examine(
  { isolation, passEnv = [], cli, permissionMode }: DoctorArguments,
  hostEnv: ProgramHost['env'],
): Promise<Judged> {
  // The other commands do without it.
  const [{ resolveAdapterConfig }, { checkAdapter }] = await Promise.all([
    import('../../../src/adapter/evaluate/adapter-config.js'),
    import('../../../src/adapter/doctor/check-adapter.js'),
  ]);
  const client = omitUndefined({ pathToClaudeCodeExecutable: cli, permissionMode });
  const test = (clientConfig: typeof client & { isolation?: { passEnv: readonly string[] } }) =>
    checkAdapter(resolveAdapterConfig({ hostEnv, clientConfig }), WAYS);
  const [plain, isolated] = await Promise.all([
    test(client),
    isolation === true ? test({ ...client, isolation: { passEnv } }) : undefined,
  ]);
  return judgeRuns(plain, isolated, permissionMode);
}

/** What a run would meet on this machine, whether or not it would start. */
async function lookAround(probe: boolean, { env, abortController }: ProgramHost): Promise<readonly Finding[]> {
  const { signal } = abortController;
  const cwd = process.cwd();
  const [{ nodeFindings }, { environmentFindings }, { settingsFindings }, { mcpFindings }] = await Promise.all([
    import('./doctor/node-version.js'),
    import('./doctor/environment.js'),
    import('./doctor/settings.js'),
    import('./doctor/mcp-servers.js'),
  ]);
  const [settings, servers] = await Promise.all([settingsFindings(cwd), mcpFindings({ env, cwd, probe, signal })]);
  return [...nodeFindings(), ...environmentFindings(env), ...settings, ...servers];
}

/**
 * One line for each finding, and a second one for what is not good; then one for each kind of run. Paths, rules and
 * names are those of others.
 */
function reportText(
  { items, runs, passed, findings }: Judged & { findings: readonly Finding[] },
  host: ProgramHost,
): string {
  const colors = colorsFor(host);
  const marks = { passed: colors.green('ok     '), warning: colors.yellow('warning'), failed: colors.red('FAILED ') };
  const lines = items.flatMap(({ name, status, found, fix }) => [
    `${marks[status]} ${name.padEnd(10)} ${safeText(found).replaceAll('\n', `\n${' '.repeat(19)}`)}`,
    ...(fix === undefined ? [] : [`${' '.repeat(19)}${colors.dim('->')} ${safeText(fix)}`]),
  ]);
  const around = findings.flatMap(({ name, status, where, found, fix }) => [
    `${marks[status]} ${name.padEnd(11)} ${safeText(where)}: ${safeText(found)}`,
    ...(fix === undefined ? [] : [`${' '.repeat(20)}${colors.dim('->')} ${safeText(fix)}`]),
  ]);
  const width = Math.max(...runs.map(({ run }) => run.length));
  const verdicts = runs.map(({ run, starts, reasons, isAsked }) => {
    const mark = starts ? marks.passed : isAsked ? marks.failed : marks.warning;
    const mayNot = starts && reasons.length > 0;
    const why = reasons.length > 0 ? `: ${safeText(inShort(reasons))}` : '';
    const verdict = `${mayNot ? 'may not start' : starts ? 'would start' : 'would not start'}${why}`;
    return `${mayNot ? marks.warning : mark} ${run.padEnd(width)}  ${verdict}`;
  });
  const wouldStart = runs.every(({ starts, isAsked }) => starts || !isAsked);
  const isSure = runs.every(({ starts, reasons }) => !starts || reasons.length === 0);
  const could = isSure ? 'A run could start.' : 'A run could start, if the CLI knows the permission mode.';
  const end = !wouldStart ? 'A run would not start.' : passed ? could : 'An MCP server does not start.';
  const seen = around.length === 0 ? [] : ['', ...around];
  return `${[...lines, ...seen, '', ...verdicts, '', end].join('\n')}\n`;
}

/** The first sentence of each: the whole is above, and in `--json`. Where a CLI was looked for are some forty paths. */
export function inShort(reasons: readonly string[]): string {
  return reasons.map((text) => /^.*?\.(?= )/s.exec(text)?.[0] ?? text).join(' ');
}

/** Whether one kind of run would start. */
interface RunVerdict {
  /** `query()`, or a mode of the adapter. */
  readonly run: string;
  readonly starts: boolean;
  /** What stands in its way; of one that starts, what may: a permission mode that is not known here. */
  readonly reasons: readonly string[];
  /** It counts for the exit code: the user asked for it, or needs it for anything. */
  readonly isAsked: boolean;
}

interface Judged {
  readonly version: 1;
  /** Every run that was asked for would start. */
  readonly passed: boolean;
  readonly items: readonly CheckItem[];
  readonly runs: readonly RunVerdict[];
}

/**
 * Says for `query()` and each mode of the adapter whether it would start: root may not bypass permissions, and the
 * sandbox is a matter of isolated runs alone.
 * @param mode - The permission mode that was asked about; without one the adapter's default is one of two cases.
 * @param isolated - With isolation, when that was asked about.
 */
export function judgeRuns(plain: CheckReport, isolated: CheckReport | undefined, mode: string | undefined): Judged {
  const judge = (
    run: string,
    { items }: CheckReport,
    counts: (item: CheckItem) => boolean,
    isAsked: boolean,
  ): RunVerdict => {
    const inTheWay = items.filter((item) => item.status === 'failed' && counts(item));
    const doubts = items.filter((item) => item.name === 'bypass' && item.status === 'warning' && counts(item));
    const starts = inTheWay.length === 0;
    return { run, starts, reasons: (starts ? doubts : inTheWay).map(({ found }) => found), isAsked };
  };
  const all = (): boolean => true;
  const butBypass = ({ name }: CheckItem): boolean => name !== 'bypass';
  const modes = (what: string, report: CheckReport, isAsked: boolean): readonly RunVerdict[] =>
    mode === undefined
      ? [
          judge(`${what}, bypassPermissions (the default)`, report, all, false),
          judge(`${what}, other permission modes`, report, butBypass, isAsked),
        ]
      : [judge(`${what}, ${mode}`, report, all, true)];
  const runs = [
    judge('query()', plain, butBypass, true),
    ...modes('adapter', plain, false),
    ...(isolated === undefined ? [] : modes('adapter, isolated', isolated, true)),
  ];
  // Nobody has asked for bypass mode by name, and everything else starts without it.
  const items = (isolated ?? plain).items.map((item) =>
    mode === undefined && item.name === 'bypass' && item.status === 'failed'
      ? ({ ...item, status: 'warning' } as const)
      : item,
  );
  const passed = runs.every(({ starts, isAsked }) => starts || !isAsked);
  return { version: 1, passed, items, runs };
}
