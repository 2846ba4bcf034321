import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeAll, expect, test } from 'vitest';
import type { MessagesApiOptions } from '../../src/testing/messages-api/server.js';
import { isJsonObject, type JsonObject } from '../../src/util/json.js';
import { buildPackage } from '../helpers/built-package.js';
import { CURRENT } from './support/clis.js';
import { PAGE, startServer, type Visits } from './support/local-servers.js';
import { describeSandboxed } from './support/sandbox.js';
import { type Stage, setStage } from './support/stage.js';
import { bash, call } from './support/turns.js';

const KEY = 'sk-ant-canary-story';
const root = join(import.meta.dirname, '..', '..');
let folder = '';
const roots: string[] = [];

beforeAll(() => {
  folder = join(buildPackage('live-stories'), '..');
  cpSync(join(root, 'examples'), join(folder, 'examples'), { recursive: true });
}, 60_000);

afterEach(() => {
  for (const each of roots.splice(0)) rmSync(each, { recursive: true, force: true });
});

interface Told {
  readonly stdout: string;
  readonly stderr: string;
  readonly status: unknown;
  /** What each tool call said, in order, as the model got it. */
  readonly said: readonly string[];
  readonly stage: Stage;
  /** The host's home. */
  readonly home: string;
}

/** Runs a story with the real CLI, as a user does. `programs` are on its PATH. */
async function tell(
  name: string,
  turns: MessagesApiOptions['turns'],
  { args = [], programs = {} }: { args?: readonly string[]; programs?: Record<string, string> } = {},
): Promise<Told> {
  const stage = await setStage(CURRENT, { turns });
  // Short: the CLI puts sockets below it.
  const tempRoot = mkdtempSync(join(tmpdir(), 's-'));
  roots.push(tempRoot);
  const [home, bin] = [join(stage.folder, 'home'), join(stage.folder, 'bin')];
  mkdirSync(bin);
  for (const [file, text] of Object.entries(programs)) writeFileSync(join(bin, file), text, { mode: 0o700 });
  const child = spawn(process.execPath, [join(folder, 'examples', 'adapter', `${name}.mjs`), ...args], {
    cwd: stage.cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: `${bin}${delimiter}${process.env.PATH}`,
      HOME: home,
      TMPDIR: tempRoot,
      LANG: 'C.UTF-8',
      ANTHROPIC_API_KEY: KEY,
      ANTHROPIC_BASE_URL: stage.api.url,
      CLAUDE_CODE_EXECUTABLE: stage.cli.path,
      HOST_CANARY: 'of-the-host',
      // Marks the processes of this stage, where it gets through.
      STAGE: stage.folder,
      ...(process.getuid?.() === 0 ? { IS_SANDBOX: '1' } : {}),
    },
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const status = await new Promise((resolve) => child.on('close', resolve));
  expect(readdirSync(tempRoot), 'left behind').toEqual([]);
  expect(readdirSync(home), 'in the home of the user').toEqual([]);
  return { stdout, stderr, status, said: toolResults(stage), stage, home };
}

/** Of the last call of the conversation: it has all of them. */
function toolResults(stage: Stage): readonly string[] {
  const last = stage.api.requests.filter((entry) => entry.kind === 'main').at(-1)?.body;
  const messages = isJsonObject(last) && Array.isArray(last.messages) ? last.messages : [];
  const blocks = messages.flatMap((message: JsonObject) =>
    Array.isArray(message.content) ? message.content : [],
  ) as readonly JsonObject[];
  return blocks
    .filter((block) => block.type === 'tool_result')
    .map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content)));
}

const gives = (output: JsonObject) => call('StructuredOutput', output);

describeSandboxed('the stories on the real CLI', () => {
  test('secure review reads the copy, reaches no host and gives its findings (AD-255)', async () => {
    const told = await tell('secure-review', [
      bash('cat project/machine.mjs'),
      bash('curl -sS -m 5 http://unlisted.example/'),
      call('WebFetch', { url: 'https://unlisted.example/', prompt: 'What is it?' }),
      gives({ findings: [{ file: 'project/machine.mjs', line: 8, severity: 'low', problem: 'None.' }] }),
    ]);
    expect(told).toMatchObject({ status: 0, stderr: '' });
    expect(told.stdout).toBe('low    project/machine.mjs:8  None.\n1 finding(s)\n');
    expect(told.said[0]).toContain('export const machine');
    expect(told.said[1]).toMatch(/blocked by network allowlist|response 403/);
    expect(told.said[2]).toMatch(/No such tool available|denied/);
  });

  test('the documentation assistant is held to its hosts (AD-255)', async () => {
    const told = await tell('documentation-assistant', [
      call('WebFetch', { url: 'https://blog.example.com/', prompt: 'What is it?' }),
      // Allowed, and not there: this machine has no network.
      call('WebFetch', { url: 'https://nodejs.org/api/fs.html', prompt: 'What is it?' }),
      'It removes folders too.',
    ]);
    expect(told).toMatchObject({ status: 0, stderr: '' });
    expect(told.stdout).toContain('It removes folders too.\n');
    expect(told.stdout).toContain('refused: WebFetch, The network policy does not list the host blog.example.com');
    expect(told.said[1]).toMatch(/getaddrinfo \w+ nodejs\.org/);
  });

  test('local development writes the file, in the environment of the host (AD-255)', async () => {
    const told = await tell('local-development', [
      call('Write', { file_path: 'NOTES.md', content: 'An empty folder.\n' }),
      bash('echo "$HOST_CANARY, $HOME, $ANTHROPIC_API_KEY"; cat NOTES.md'),
      'NOTES.md says what is here.',
    ]);
    expect(told).toMatchObject({ status: 0, stderr: '' });
    expect(told.stdout).toContain('NOTES.md (Write)');
    expect(told.said[1]).toContain('of-the-host, ');
    expect(told.said[1]).toContain('An empty folder.');
    expect(told.said[1]).not.toContain(told.home);
  });

  test('the CI agent writes its report, and its commands see neither the key nor the job (AD-255)', async () => {
    const checkout = mkdtempSync(join(tmpdir(), 'c-'));
    roots.push(checkout);
    const told = await tell(
      'ci-agent',
      [
        bash('echo "[$HOST_CANARY][$ANTHROPIC_API_KEY]"; env > ci-report/report.txt; echo written'),
        gives({ passed: true, summary: 'Every file belongs here.' }),
      ],
      { args: [checkout] },
    );
    expect(told).toMatchObject({ status: 0, stderr: '' });
    expect(told.stdout).toContain('passed: Every file belongs here.\n');
    expect(told.said[0]).toContain('[][]');
    const report = readFileSync(join(checkout, 'ci-report', 'report.txt'), 'utf8');
    expect(report).toContain('SANDBOX_RUNTIME=1');
    expect(report).not.toMatch(/of-the-host|canary/);
  });

  test('multi-service reaches the local service through the proxy only, and docker leaves the sandbox (AD-255)', async () => {
    const visits: Visits = [];
    await startServer({ port: 8080, visits });
    const url = 'http://127.0.0.1:8080/';
    const told = await tell(
      'multi-service',
      [
        bash('docker ps'),
        bash(`curl -sS -m 5 ${url}`),
        bash(`curl -sS -m 5 --noproxy '' ${url}`),
        bash('curl -sS -m 5 http://unlisted.example/'),
        gives({ items: [{ service: url, isUp: true }] }),
      ],
      { programs: { docker: '#!/bin/sh\necho "sandbox: [$SANDBOX_RUNTIME]"\n' } },
    );
    expect(told).toMatchObject({ status: 0, stderr: '' });
    expect(told.stdout).toBe(`up   ${url}\n`);
    expect(told.said[0]).toContain('sandbox: []');
    expect(told.said[1]).toMatch(/Failed to connect/);
    expect(told.said[2]).toContain(PAGE);
    expect(told.said[3]).toMatch(/blocked by network allowlist|response 403/);
    expect(visits).toHaveLength(1);
  });

  test('offline, the tools reach nothing and the CLI its API (AD-255)', async () => {
    const told = await tell('offline', [
      call('Read', { file_path: 'text' }),
      bash('curl -sS -m 5 http://unlisted.example/'),
      'A program whose tools reach no host.',
    ]);
    expect(told).toMatchObject({ status: 0, stderr: '' });
    expect(told.stdout).toBe('A program whose tools reach no host.\n');
    expect(told.said[0]).toContain('Offline: no tool reaches anything');
    expect(told.said[1]).toMatch(/blocked by network allowlist|response 403/);
  });
});
