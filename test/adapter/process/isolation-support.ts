import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClaudeAgentAdapterOptions } from '../../../src/adapter/evaluate/adapter-config.js';
import { ClaudeAgentAdapter } from '../../../src/adapter/evaluate/claude-agent-adapter.js';
import type { ClaudeAgentClientConfig } from '../../../src/adapter/evaluate/client-config.js';
import type { AdapterLogger } from '../../../src/adapter/logging/log.js';
import type { Stage } from '../support/play.js';

export interface Entry {
  readonly level: string;
  readonly event: string;
  readonly context: Readonly<Record<string, unknown>>;
}

/** An adapter on the stage's machine, and what it logs. `onLog` hears of each record at once. */
export function adapterOn(
  stage: Stage,
  clientConfig: ClaudeAgentClientConfig,
  more: Omit<ClaudeAgentAdapterOptions, 'clientConfig'> = {},
  onLog: (entry: Entry) => void = () => {},
) {
  const logged: Entry[] = [];
  const write = (level: string) => (_: string, record: Omit<Entry, 'level'>) => {
    const entry = { level, ...record };
    logged.push(entry);
    onLog(entry);
  };
  const logger: AdapterLogger = {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
  };
  const adapter = new ClaudeAgentAdapter({
    ...stage.machine,
    logger,
    ...more,
    clientConfig: { ...stage.machine.clientConfig, ...clientConfig },
  });
  return { adapter, logged };
}

/** A program that runs shell lines, and then the stage's script in its own place. */
export function shellFirst(stage: Stage, lines: string): string {
  const path = join(stage.root, 'first.sh');
  writeFileSync(path, `#!/bin/sh\n${lines}\nexec '${stage.path}' "$@"\n`, { mode: 0o755 });
  return path;
}

/**
 * A program that plays the stage's script, and changes its answer to `get_settings` as a machine with managed settings would:
 * the file that is read is ours, so its content is not known before.
 *
 * @param edit - JavaScript that changes `answer`
 */
export function managedCli(stage: Stage, edit: string): string {
  const path = join(stage.root, 'managed.mjs');
  const code = `#!${process.execPath}
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
const child = spawn(${JSON.stringify(stage.path)}, process.argv.slice(2), { stdio: ['pipe', 'pipe', 'inherit'] });
process.stdin.pipe(child.stdin);
child.stdin.on('error', () => {});
process.on('SIGTERM', () => child.kill('SIGTERM'));
createInterface({ input: child.stdout }).on('line', (line) => {
  const frame = JSON.parse(line);
  const answer = frame.response?.response;
  if (answer?.effective !== undefined) { ${edit} }
  process.stdout.write(JSON.stringify(frame) + '\\n');
});
child.on('close', (code) => { process.exitCode = code ?? 143; process.stdin.destroy(); });
`;
  writeFileSync(path, code, { mode: 0o755 });
  return path;
}

export function isGone(pid: number | undefined): boolean {
  try {
    return !process.kill(pid ?? 0, 0);
  } catch {
    return true;
  }
}
