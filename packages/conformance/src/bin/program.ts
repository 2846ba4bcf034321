import { InvalidOptionError } from 'claudewire';
import { Command, CommanderError } from 'commander';
import { addCompareCommand } from './compare-command.js';
import { addDriftCommand } from './drift-command.js';
import { addInitCommand } from './init-command.js';
import type { ProgressStream } from './progress.js';
import { addRecordSuiteCommand } from './record-suite-command.js';
import { addRunCommand } from './run-command.js';

/** What `claudewire-conformance` exits with. */
export const ExitCode = {
  /** Everything came out as expected. */
  ok: 0,
  /** Something did not: the last lines say what. */
  failed: 1,
  /** The arguments or the data cannot be used; nothing was run. */
  usage: 2,
  /** The terminal was closed. */
  hungUp: 129,
  /** Ctrl-C. */
  interrupted: 130,
  /** SIGTERM. */
  terminated: 143,
} as const;

/** What the program needs of the process it runs in. */
export interface ProgramHost {
  readonly argv: readonly string[];
  readonly version: string;
  readonly stdout: { write(text: string): unknown };
  readonly stderr: ProgressStream;
  /** Ends what runs, at once. */
  readonly abortController: AbortController;
}

/** Runs one command line. Never rejects for what the user did; resolves with the exit code. */
export async function runProgram(host: ProgramHost): Promise<number> {
  let exitCode: number = ExitCode.ok;
  const onExit = (code: number): void => {
    exitCode = code;
  };
  const program = new Command('claudewire-conformance')
    .description('Judges SDKs that drive the Claude Code CLI, and the CLI itself.')
    .version(host.version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void host.stdout.write(text),
      writeErr: (text) => void host.stderr.write(text),
    });
  addInitCommand(program, host, onExit);
  addRunCommand(program, host, onExit);
  addRecordSuiteCommand(program, host, onExit);
  addCompareCommand(program, host, onExit);
  addDriftCommand(program, host, onExit);
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
