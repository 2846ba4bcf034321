import { describe, expect, test } from 'vitest';
import { ClaudeCodeAdapter } from '../../../src/adapter/agent/claude-code-adapter.js';
import { AdapterConfigError } from '../../../src/adapter/errors/adapter-error.js';
import { ClaudeAgentAdapter } from '../../../src/adapter/evaluate/claude-agent-adapter.js';
import type { ClaudeAgentClientConfig } from '../../../src/adapter/evaluate/client-config.js';
import { RUN_REPORT_SCHEMA } from '../../../src/adapter/index.js';
import { Session } from '../../../src/adapter/state/session.js';
import { ToolPermissions } from '../../../src/adapter/state/slices.js';
import type { JsonObject } from '../../../src/util/json.js';
import { fakeRuntime } from '../support/fake-runtime.js';
import { askPrompt } from '../support/make-prompt.js';

const result: JsonObject = {
  ...{ type: 'result', subtype: 'success', is_error: false, result: 'Done.', session_id: 'cli' },
  usage: { input_tokens: 10, output_tokens: 5 },
};

function stage(clientConfig: ClaudeAgentClientConfig, olderCli: string | undefined) {
  const fake = fakeRuntime([result], olderCli === undefined ? {} : { olderCli });
  const adapter = new ClaudeAgentAdapter({
    loadRuntime: fake.loadRuntime,
    hostEnv: { PATH: '/bin', ANTHROPIC_API_KEY: 'k' },
    uid: 1000,
    platform: 'linux',
    sandboxProbe: async () => ({ passed: true, problem: undefined, fix: undefined }),
    clientConfig: { permissionMode: 'default', ...clientConfig },
  });
  return { fake, evaluate: (session = new Session()) => adapter.evaluate(askPrompt(), { session }) };
}

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('a release that does not confirm that a failing hook blocks', () => {
  test('is served when no policy depends on it, and the report says so', async () => {
    const { evaluate } = stage({}, '2.1.300');
    const { text, report } = await evaluate();
    expect(text).toBe('Done.');
    expect(report.guarantees).toEqual({ kept: [], missing: ['hook_failure_blocks'] });
    expect(report.warnings).toEqual([
      'Claude Code 2.1.300 runs a tool when the check before it does not answer, such as when this process hangs.',
    ]);
  });

  test.each<[string, ClaudeAgentClientConfig, readonly string[]]>([
    ['clientConfig.isolation', { isolation: {} }, []],
    ['clientConfig.outsideWorkspacePaths', { outsideWorkspacePaths: 'deny' }, []],
    ['ToolPermissions.blocked', {}, ['Bash']],
  ])('is refused with %s, before the first message', async (option, client, blocked) => {
    const { fake, evaluate } = stage(client, '2.1.300');
    const session = new Session();
    if (blocked.length > 0) session.mutate(ToolPermissions).seed({ blocked });
    const error = await failureOf(evaluate(session));
    expect(error).toBeInstanceOf(AdapterConfigError);
    expect(error).toMatchObject({
      message: expect.stringContaining(`\`${option}\` cannot be guaranteed`),
      hint: 'Use Claude Code 2.1.317 or later.',
      report: { guarantees: { kept: [], missing: ['hook_failure_blocks'] } },
    });
    expect(String(error)).not.toContain('onFailure');
    expect(fake.runs[0]?.sent).toEqual([]);
  });

  test('is not asked when hooks may fail open', async () => {
    const { evaluate } = stage({ hookFailureMode: 'open' }, '2.1.300');
    const { report } = await evaluate();
    expect(report.guarantees).toEqual({ kept: [], missing: [] });
    expect(report.warnings).toEqual([]);
  });
});

test('a newer release keeps the guarantee', async () => {
  const { report } = await stage({ outsideWorkspacePaths: 'deny' }, undefined).evaluate();
  expect(report.guarantees).toEqual({ kept: ['hook_failure_blocks'], missing: [] });
  expect(report.warnings).toEqual([]);
});

test('the schema of the report names the guarantees', () => {
  expect(RUN_REPORT_SCHEMA).toHaveProperty('properties.guarantees');
});

test('an agent whose policy denies is refused, and nothing is sent', async () => {
  const fake = fakeRuntime([result], { olderCli: '2.1.300', executable: '/cli' });
  const adapter = new ClaudeCodeAdapter({ loadRuntime: fake.loadRuntime, hostEnv: {}, uid: 1000 });
  const events: unknown[] = [];
  for await (const event of adapter.run('Go.', { permissions: { fileWrite: 'deny' } })) events.push(event);
  expect(JSON.stringify(events)).toContain('`permissions` cannot be guaranteed');
  expect(JSON.stringify(events)).not.toContain('onFailure');
  expect(fake.runs[0]?.sent).toEqual([]);
});
