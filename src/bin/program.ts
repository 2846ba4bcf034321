import { Command, CommanderError } from 'commander';
import { InvalidOptionError } from '../index.js';
import { colorsFor } from './colors.js';
import { type DemoArguments, demoCommand, shippedScenarios, toJsonLine } from './demo/demo-command.js';
import { Renderer } from './demo/render.js';
import { addDoctorCommand } from './doctor-command.js';
import { ExitCode } from './exit-codes.js';
import { addRecordCommand } from './record-command.js';
import { addReplayCommand } from './replay-command.js';
import { addScenarioCommand } from './scenario-command.js';

const EXIT_CODES = `
Exit codes:
  0    the run completed
  1    the run failed or was interrupted; the last lines say why
  2    the arguments cannot be used; nothing was started
  130  Ctrl-C
  143  SIGTERM`;

/** What the program needs of the process it runs in. */
export interface ProgramHost {
  readonly argv: readonly string[];
  readonly version: string;
  /** Folder with `player.mjs` and `demo/`. */
  readonly assets: string;
  readonly stdout: { write(text: string): unknown; readonly isTTY?: boolean };
  readonly stderr: { write(text: string): unknown };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Ends what runs, cleanly. */
  readonly abortController: AbortController;
}

/** Runs one command line. Never rejects for what the user did; resolves with the exit code. */
export async function runProgram(host: ProgramHost): Promise<number> {
  let exitCode: number = ExitCode.ok;
  const program = new Command('claudewire')
    .description('Tools around the Claude Code CLI and its control protocol.')
    .version(host.version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void host.stdout.write(text),
      writeErr: (text) => void host.stderr.write(text),
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
      exitCode = await demoCommand(args, {
        assets: host.assets,
        abortController: host.abortController,
        emit: printer(host, args.json === true),
      });
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
  addDoctorCommand(program, host, (code) => {
    exitCode = code;
  });
  addRecordCommand(program, host);
  addScenarioCommand(program, host, (code) => {
    exitCode = code;
  });
  addReplayCommand(program, host, (code) => {
    exitCode = code;
  });
  try {
    await program.parseAsync([...host.argv], { from: 'user' });
    return exitCode;
  } catch (error) {
    // commander has printed its one line (or the help, or the version) before it throws.
    if (error instanceof CommanderError) return error.exitCode === 0 ? ExitCode.ok : ExitCode.usage;
    if (!(error instanceof InvalidOptionError)) throw error;
    host.stderr.write(`error: ${error.message}\n`);
    return ExitCode.usage;
  }
}

function printer({ stdout, env }: ProgramHost, isJson: boolean): Parameters<typeof demoCommand>[1]['emit'] {
  if (isJson) return (event) => void stdout.write(toJsonLine(event));
  const isTerminal = stdout.isTTY === true;
  const renderer = new Renderer({ colors: colorsFor({ stdout, env }), isLive: isTerminal });
  return (event) => {
    const text = renderer.render(event);
    if (text !== '') stdout.write(text);
  };
}
