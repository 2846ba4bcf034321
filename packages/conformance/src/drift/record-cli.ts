import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { CliFacts, type CliShape } from './cli-shape.js';
import { helpFlags } from './help-flags.js';
import { privateEnvironment } from './private-environment.js';
import { type RecordSuiteOptions, recordSuite } from './record-suite.js';

const HELP_LIMIT_MS = 20_000;

/** Records every live scenario with one CLI, its flags, its defaults and how long it takes. */
export async function recordCli(options: RecordSuiteOptions): Promise<CliShape> {
  const facts = new CliFacts();
  const flags = helpFlags(await helpOf(options));
  const { shape } = await recordSuite({
    ...options,
    onRecording: (name, recording) => {
      facts.add(name, recording);
      options.onRecording?.(name, recording);
    },
  });
  return { ...shape, flags, defaults: facts.defaults, timings: facts.timings };
}

async function helpOf({ cli, timeoutFactor = 1 }: RecordSuiteOptions): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'claudewire-help-'));
  try {
    const [command, args] = /\.[cm]?js$/.test(cli) ? [process.execPath, [cli]] : [cli, []];
    const { stdout } = await execa(command, [...args, '--help'], {
      env: privateEnvironment(folder),
      extendEnv: false,
      stdin: 'ignore',
      stderr: 'ignore',
      timeout: HELP_LIMIT_MS * timeoutFactor,
      reject: false,
    });
    return String(stdout);
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
