import { spawnSync } from 'node:child_process';
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';

const DATA = fileURLToPath(new URL('..', import.meta.url));
const SCRIPT = fileURLToPath(new URL('../scripts/lint.mjs', import.meta.url));

const { lintConformance: lint }: { lintConformance: (folder: string) => string[] } = await import(SCRIPT);

/** The data without its scenarios and drivers: small, and nobody else's work in progress. */
function copy(): string {
  const folder = mkdtempSync(join(tmpdir(), 'claudewire-lint-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const part of ['requirements', 'schemas', 'vectors', 'README.md']) {
    cpSync(join(DATA, part), join(folder, part), { recursive: true });
  }
  return folder;
}

test('the script prints each problem and fails', () => {
  const folder = copy();
  appendFileSync(join(folder, 'README.md'), `\n/home/${'somebody'}\n`);
  const { status, stderr } = spawnSync(process.execPath, [SCRIPT, folder], { encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining('README.md:') });
});

test('the data is clean', () => {
  expect(lint(DATA)).toEqual([]);
});

// Put together here, so that no checker of this repository takes them for real.
const PLANTED: readonly (readonly [what: string, text: string])[] = [
  ['an API key', `sk-ant-${'api03-abcdEFGH1234'}`],
  ['a token', `ghp_${'a1b2c3d4e5f6g7h8i9j0'}`],
  ['a JSON web token', `eyJ${'hbGciOiJIUzI1'}.${'eyJzdWIiOiIxMjM0'}`],
  ['a bearer token', `Bearer ${'abcdef0123456789'}`],
  ['a private key', `-----BEGIN ${'RSA PRIVATE'} KEY-----`],
  ['an e-mail address', `somebody@${'company.com'}`],
  ['a home folder', `/home/${'somebody'}/project`],
  ['a home folder', `/Users/${'somebody'}/project`],
  ['a path of a machine', `/tmp/${'xyz123'}/config`],
  ['a port of a machine', `http://127.0.0.1:${'34567'}/v1`],
];

test.each(PLANTED)('finds %s: %s', (what, text) => {
  const folder = copy();
  appendFileSync(join(folder, 'README.md'), `\n${text}\n`);
  expect(lint(folder)).toEqual([expect.stringMatching(new RegExp(`README\\.md:\\d+: looks like ${what}`))]);
});

test.each(['sk-ant-fake', 'a@example.com', 'you@mail.example', 'http://127.0.0.1:PORT', '/work-dir/a'])(
  'lets %s stand',
  (text) => {
    const folder = copy();
    appendFileSync(join(folder, 'README.md'), `\n${text}\n`);
    expect(lint(folder)).toEqual([]);
  },
);

const ONE = 'scenarios/L0/l0-one.jsonl';
const SCENARIO = {
  scenario: 'l0-one',
  version: 1,
  about: 'One',
  level: 'L0',
  requirements: ['L0-01'],
  source: ['TS-001'],
};

const FAULTS: readonly { readonly what: RegExp; readonly header: object; readonly path?: string }[] = [
  { what: /names L0-99, which is no requirement/, header: { requirements: ['L0-99'] } },
  { what: /names no requirement/, header: { requirements: [] } },
  { what: /names no source/, header: { source: [] } },
  { what: /has no about/, header: { about: '' } },
  { what: /says l0-two/, header: { scenario: 'l0-two' } },
  { what: /does not begin with its level L1/, header: { level: 'L1' } },
  { what: /of L0 lies in L3/, header: {}, path: 'scenarios/L3/l0-one.jsonl' },
  { what: /cliVersion 2\.1\.3 is not/, header: { cliVersion: '2.1.3' } },
];

test.each(FAULTS)('finds a scenario that $what', ({ what, header, path = ONE }) => {
  const folder = copy();
  const write = (value: object): void => {
    cpSync(join(DATA, 'README.md'), join(folder, path));
    writeFileSync(join(folder, path), `${JSON.stringify(value)}\n`);
  };
  if (path.includes('/L0/')) {
    write(SCENARIO);
    expect(lint(folder)).toEqual([]);
  }
  write({ ...SCENARIO, ...header });
  expect(lint(folder)).toContainEqual(expect.stringMatching(what));
});

const UNFAIR: readonly { readonly step: object; readonly what: RegExp; readonly feature?: string }[] = [
  { step: { in: { type: 'user', parent_tool_use_id: null } }, what: /:2: in user asks for parent_tool_use_id/ },
  { step: { observe: { what: 'error', error: { kind: 'closed' } } }, what: /error\.kind/, feature: 'error:kinds' },
  { step: { observe: { what: 'message', message: { uuid: 'u' } } }, what: /uuid/, feature: 'messages:ids' },
  { step: { spawn: { argv: { '--agents': {} } } }, what: /argv asks for --agents/, feature: 'agents:flag' },
  {
    step: { in: { type: 'control_request', request: { subtype: 'initialize' } }, answer: {} },
    what: /need not send `initialize`/,
    feature: 'initialize',
  },
];

test.each(UNFAIR)('finds a scenario that asks for more than the CLI does: $what', ({ step, what, feature }) => {
  const folder = copy();
  const problems = (features: readonly string[]): readonly string[] => {
    cpSync(join(DATA, 'README.md'), join(folder, ONE));
    writeFileSync(join(folder, ONE), `${JSON.stringify({ ...SCENARIO, features })}\n${JSON.stringify(step)}\n`);
    return lint(folder);
  };
  expect(problems([])).toEqual([expect.stringMatching(what)]);
  if (feature !== undefined) expect(problems([feature])).toEqual([]);
});

test('lets one of several ways stand', () => {
  const folder = copy();
  const step = { observe: { what: 'error', error: { $oneOf: [{ exit_code: 1 }, { message: { $contains: '1' } }] } } };
  cpSync(join(DATA, 'README.md'), join(folder, ONE));
  writeFileSync(join(folder, ONE), `${JSON.stringify(SCENARIO)}\n${JSON.stringify(step)}\n`);
  expect(lint(folder)).toEqual([]);
});

test('finds vectors and requirements that do not fit their schema, and files that are no JSON', () => {
  const folder = copy();
  const edit = (path: string, from: string, to: string): void => {
    const text = readFileSync(join(folder, path), 'utf8');
    expect(text).toContain(from);
    writeFileSync(join(folder, path), text.replace(from, to));
  };
  edit('requirements/L0.json', '"party": "host"', '"party": "guest"');
  edit('vectors/bytes-to-frames.json', '"kind": "bytes-to-frames"', '"kind": "bytes"');
  writeFileSync(join(folder, 'schemas/recording.schema.json'), '{');
  const problems = lint(folder);
  expect(problems).toContainEqual(expect.stringMatching(/L0\.json:1: .*party/));
  expect(problems).toContainEqual(expect.stringMatching(/bytes-to-frames\.json:1: /));
  expect(problems).toContainEqual(expect.stringMatching(/recording\.schema\.json:1: is not JSON/));
});
