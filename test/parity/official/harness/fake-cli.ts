import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What a process of the fake CLI wrote down. */
export interface FakeRun {
  readonly argv: readonly string[];
  readonly execArgv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Content of files that arguments name, in the order of the arguments. */
  readonly files: readonly string[];
  readonly lines: readonly string[];
  readonly sawEof: boolean;
}

export interface FakeCli {
  readonly dir: string;
  /** Runs by itself: has a `#!` line and no extension. */
  readonly path: string;
  readonly runs: () => readonly FakeRun[];
  readonly remove: () => void;
}

/** Ends with its input; answers every request; its one turn is a result. */
const PROGRAM = `
import { appendFileSync, existsSync, readFileSync, statSync } from 'node:fs';
import { createInterface } from 'node:readline';
const log = (record) => appendFileSync(LOG, JSON.stringify({ pid: process.pid, ...record }) + '\\n');
const say = (frame) => process.stdout.write(JSON.stringify(frame) + '\\n');
const argv = process.argv.slice(2);
const files = argv.flatMap((token) =>
  token.startsWith('/') && existsSync(token) && statSync(token).isFile() ? [readFileSync(token, 'utf8')] : []);
log({ start: { argv, execArgv: process.execArgv, env: process.env, cwd: process.cwd(), files } });
const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  log({ line });
  const frame = JSON.parse(line);
  if (frame.type === 'control_request') {
    const response = { commands: [], models: [], agents: [], account: {}, hook_on_failure_supported: true, mcp_servers_applied: true };
    say({ type: 'control_response', response: { subtype: 'success', request_id: frame.request_id, response } });
  }
  if (frame.type === 'user') say({ type: 'result', subtype: 'success', is_error: false, result: 'done' });
});
lines.on('close', () => log({ eof: true }));
`;

/** A small program that writes down how it was started and what it was told. Quicker to start than the scenario player. */
export function fakeCli(name = 'claude'): FakeCli {
  const dir = mkdtempSync(join(tmpdir(), 'parity-cli-'));
  const log = join(dir, 'log.jsonl');
  writeFileSync(join(dir, 'package.json'), '{"type":"module"}');
  writeFileSync(join(dir, name), `#!${process.execPath}\nconst LOG = ${JSON.stringify(log)};\n${PROGRAM}`, {
    mode: 0o700,
  });
  writeFileSync(log, '');
  return {
    dir,
    path: join(dir, name),
    runs: () => readRuns(readFileSync(log, 'utf8')),
    remove: () => rmSync(dir, { recursive: true, force: true, maxRetries: 3 }),
  };
}

interface LogLine {
  readonly pid: number;
  readonly start?: Omit<FakeRun, 'lines' | 'sawEof'>;
  readonly line?: string;
  readonly eof?: true;
}

function readRuns(text: string): readonly FakeRun[] {
  const records = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as LogLine);
  return records.flatMap(({ pid, start }) => {
    if (start === undefined) return [];
    const own = records.filter((record) => record.pid === pid);
    const lines = own.flatMap(({ line }) => (line === undefined ? [] : [line]));
    return [{ ...start, lines, sawEof: own.some(({ eof }) => eof === true) }];
  });
}
