import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AdapterConfigError } from '../../../src/adapter/errors/adapter-error.js';
import type { ClaudeAgentAdapterOptions } from '../../../src/adapter/evaluate/adapter-config.js';
import { ClaudeAgentAdapter } from '../../../src/adapter/evaluate/claude-agent-adapter.js';
import type { IsolationConfig } from '../../../src/adapter/isolation/isolation-config.js';
import type { AdapterLogger } from '../../../src/adapter/logging/log.js';
import { Session } from '../../../src/adapter/state/session.js';
import { writeExecutable } from '../../helpers/executable.js';
import { fakeRuntime } from '../support/fake-runtime.js';
import { thrownBy } from '../support/thrown-by.js';
import { askPrompt, refused, resultMessage } from './support.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cw-req-'));
  for (const name of ['bin', 'temp']) mkdirSync(join(folder, name));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function install(name: string, lines: string): void {
  writeExecutable(join(folder, 'bin', name), `#!/bin/sh\n${lines}\n`);
}

/** An adapter whose machine has the programs that were installed, and no others. */
function adapterFor(isolation: IsolationConfig, more: ClaudeAgentAdapterOptions = {}) {
  const runtime = fakeRuntime([resultMessage()]);
  const warnings: string[] = [];
  const quiet = (): void => {};
  const logger: AdapterLogger = {
    debug: quiet,
    info: quiet,
    warn: (_, { event }) => void warnings.push(event),
    error: quiet,
  };
  const adapter = new ClaudeAgentAdapter({
    loadRuntime: runtime.loadRuntime,
    logger,
    platform: 'linux',
    uid: 1000,
    hostHome: '/home/u',
    hostEnv: { PATH: join(folder, 'bin'), ANTHROPIC_API_KEY: 'k' },
    tempRoot: join(folder, 'temp'),
    ...more,
    clientConfig: { isolation },
  });
  const evaluate = () => adapter.evaluate(askPrompt(), { session: new Session() });
  return { adapter, evaluate, runtime, warnings };
}

const UNSUPPORTED = ['isolation.sandbox_unsupported'];
const homeOf = (run: ReturnType<typeof adapterFor>): unknown => run.runtime.runs[0]?.options.env?.HOME;

test('Windows has none, Linux lacks the helpers, and there the sandbox may be optional (AD-254)', async () => {
  const windows = adapterFor({}, { platform: 'win32' });
  const { isolation } = await windows.evaluate();
  expect(isolation).toMatchObject({ requested: true, probePassed: null });
  expect(homeOf(windows)).toContain('claude-agent-');
  expect(windows.warnings).toEqual(UNSUPPORTED);

  const required = adapterFor({});
  const error = await refused(required.evaluate());
  expect(error).toBeInstanceOf(AdapterConfigError);
  for (const part of ['`bwrap`', '`socat`', 'apt-get install', 'required: false', 'enabled: false']) {
    expect((error as Error).message).toContain(part);
  }
  expect(required.runtime.runs).toEqual([]);
  expect(readdirSync(join(folder, 'temp'))).toEqual([]);

  install('bwrap', 'echo "net:[1]"; echo "pid:[2]"');
  const withoutSocat = await refused(adapterFor({}).evaluate());
  expect((withoutSocat as Error).message).toContain('`socat` is not on the PATH');

  // The child's path counts, not the host's: that one has both.
  install('socat', 'exit 0');
  expect((await adapterFor({}).evaluate()).isolation).toMatchObject({ probePassed: true });
  await refused(adapterFor({ env: { PATH: join(folder, 'temp') } }).evaluate());
  rmSync(join(folder, 'bin', 'socat'));

  const optional = adapterFor({ sandbox: { required: false } });
  expect((await optional.evaluate()).isolation).toMatchObject({ probePassed: false });
  expect(homeOf(optional)).toContain('claude-agent-');
  expect(optional.warnings).toEqual(UNSUPPORTED);
});

test('a sandbox that is required where there is none, or while it is off (AD-404)', async () => {
  const windows = adapterFor({ sandbox: { required: true } }, { platform: 'win32' });
  expect(await refused(windows.evaluate())).toBeInstanceOf(AdapterConfigError);
  expect(windows.runtime.runs).toEqual([]);
  const off = () => adapterFor({ sandbox: { required: true, enabled: false } });
  expect(thrownBy(off)).toBeInstanceOf(AdapterConfigError);
});

test('a bwrap that is there and cannot start (AD-410)', async () => {
  install('socat', 'exit 0');
  install('bwrap', 'echo "bwrap: setting up uid map: Permission denied" >&2; exit 1');
  const required = adapterFor({});
  const item = (await required.adapter.check()).items.find(({ name }) => name === 'sandbox');
  expect(item?.status).toBe('failed');
  expect(item?.found).toContain('bwrap: setting up uid map: Permission denied');
  const error = await refused(required.evaluate());
  expect(error).toBeInstanceOf(AdapterConfigError);
  expect((error as Error).message).toContain('setting up uid map: Permission denied');
  expect(required.runtime.runs).toEqual([]);
  const optional = adapterFor({ sandbox: { required: false } });
  await optional.evaluate();
  expect(optional.warnings).toEqual(UNSUPPORTED);
});

test('the probe runs once for an adapter, however many evaluations there are', async () => {
  install('socat', 'exit 0');
  install('bwrap', `echo x >> ${join(folder, 'calls')}; echo "net:[1]"; echo "pid:[2]"`);
  const { evaluate, adapter } = adapterFor({});
  await Promise.all([evaluate(), evaluate()]);
  await adapter.check();
  expect(readFileSync(join(folder, 'calls'), 'utf8')).toBe('x\n');
});
