import { InvalidOptionError } from 'claudewire';
import { Command, CommanderError } from 'commander';
import { type DemoArguments, demoCommand, shippedScenarios } from './demo/demo-command.js';
import type { DemoListener } from './demo/demo-events.js';
import { Renderer } from './demo/render.js';
import { addDoctorCommand } from './doctor-command.js';
import { addDropInCommand } from './drop-in/drop-in-command.js';
import { colorsFor, ExitCode, type ProgramHost } from './program-host.js';
import { addRecordCommand } from './record/record-command.js';
import { addReplayCommand } from './replay/replay-command.js';
import { addRunCommand } from './run/run-command.js';
import { jsonLine, safeText } from './safe-text.js';
import { addScenarioCommand } from './scenario-command.js';
import { addViewCommand } from './view/view-command.js';

const EXIT_CODES = `
Exit codes:
  0    the run completed
  1    the run failed or was interrupted; the last lines say why
  2    the arguments cannot be used; nothing was started
  130  Ctrl-C
  143  SIGTERM`;

/** Runs one command line. Never rejects for what the user did; resolves with the exit code. */
export async function runProgram(host: ProgramHost): Promise<number> {
  let exitCode: number = ExitCode.ok;
  const onExit = (code: number): void => {
    exitCode = code;
  };
  const program = new Command('claudewire')
    .description('Tools around the Claude Code CLI and its control protocol.')
    .version(host.version, '-v, --version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void host.stdout.write(text),
      writeErr: (text) => void host.stderr.write(safeText(text)),
    });
  program
    .command('demo')
    .description('Shows sessions: text, tools, permissions, a denial, a typed failure, a bound, cost.')
    .option(
      '--scenario <name|file>',
      `what the scripted CLI plays: ${shippedScenarios(`${host.assets}/demo`).join(', ')}, or a file (default: a tour of three sessions)`,
    )
    .option('--prompt <text>', 'what to say to it')
    .option('--live', 'runs on the real CLI with your own login or key')
    .option('--json', 'prints one JSON object per event')
    .addHelpText('after', EXIT_CODES)
    .action(async (args: DemoArguments & { readonly json?: boolean }) => {
      onExit(await demoCommand(args, { ...host, emit: printer(host, args.json === true) }));
    });
  program
    .command('conformance', { hidden: true })
    .helpOption(false)
    .allowUnknownOption()
    .allowExcessArguments()
    .action(() => {
      throw new InvalidOptionError(
        'conformance',
        'The conformance suite has an executable of its own: `claudewire-conformance`, in packages/conformance of the repository.',
      );
    });
  addRunCommand(program, host, onExit);
  addDoctorCommand(program, host, onExit);
  addDropInCommand(program, host);
  addRecordCommand(program, host);
  addScenarioCommand(program, host, onExit);
  addReplayCommand(program, host, onExit);
  addViewCommand(program, host, onExit);
  // After the commands, which would inherit it: what they refuse names an option or an argument of theirs.
  program.showHelpAfterError('Run `claudewire --help` for a list of the commands.');
  try {
    const [first, ...others] = host.argv;
    requireKnownHelp(program, host.argv);
    // What the option was called once.
    await program.parseAsync(first === '-V' ? ['--version', ...others] : [...host.argv], { from: 'user' });
    return exitCode;
  } catch (error) {
    // commander has printed its one line (or the help, or the version) before it throws.
    if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.ok : ExitCode.usage;
    if (isLostDirectory(error)) {
      host.stderr.write(`error: ${LOST_DIRECTORY}\n`);
      return ExitCode.failed;
    }
    if (!(error instanceof InvalidOptionError)) throw error;
    host.stderr.write(`error: ${safeText(error.message)}\n`);
    return ExitCode.usage;
  }
}

const LOST_DIRECTORY =
  'The working directory of this process does not exist any more. Go to a directory that exists, and run it there.';

/** `process.cwd()` threw. */
function isLostDirectory(error: unknown): boolean {
  return error instanceof Error && Reflect.get(error, 'syscall') === 'uv_cwd';
}

/** For `help nosuch` commander shows the list, and ends with 0. */
function requireKnownHelp(command: Command, [first = '', ...rest]: readonly string[]): void {
  const named = (name: string) => command.commands.find((each) => each.name() === name);
  if (first !== 'help') {
    const next = named(first);
    if (next !== undefined && next.commands.length > 0) requireKnownHelp(next, rest);
    return;
  }
  const [name] = rest;
  if (name === undefined || name.startsWith('-') || named(name) !== undefined) return;
  command.error(`error: unknown command '${name}'`);
}

function printer(host: ProgramHost, isJson: boolean): DemoListener {
  const { stdout } = host;
  if (isJson) return (event) => void stdout.write(jsonLine(event));
  const renderer = new Renderer({ colors: colorsFor(host), isLive: stdout.isTTY === true });
  return (event) => {
    const text = renderer.render(event);
    if (text !== '') stdout.write(text);
  };
}
