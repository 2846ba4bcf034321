import type { Command } from 'commander';
import { addRecordSuiteCommand } from './record-suite-command.js';
import { addRunCommand, type ConformanceHost } from './run-command.js';

/** Adds `claudewire conformance` with its subcommands. */
export function addConformanceCommand(
  program: Command,
  host: ConformanceHost,
  onExit: (code: number) => void,
): void {
  const parent = program
    .command('conformance')
    .description('The conformance suite: scenarios, drivers, requirements.');
  addRunCommand(parent, host, onExit);
  addRecordSuiteCommand(parent, host, onExit);
}
