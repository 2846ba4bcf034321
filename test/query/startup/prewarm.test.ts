import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  AbortError,
  ClaimError,
  type ClaimOptions,
  ControlRequestError,
  ControlRequestTimeoutError,
  createSdkMcpServer,
  InvalidOptionError,
  type Options,
  outcomeOf,
  prewarm,
  SessionClosedError,
} from '../../../src/index.js';
import { resultFrame } from '../../helpers/cli-frames.js';
import { CLOCKS, settled } from '../memory-session.js';
import { drain, MemoryCli, pass, rejection, SILENCE } from './memory-cli.js';

const FOLDER = '/projects/one';
const CLAIM = { cwd: FOLDER, session_id: 's1', parked_ms: 42, sdk_mcp_settled: true };
const INFO = { cwd: FOLDER, sessionId: 's1', parkedMs: 42, sdkMcpSettled: true };
const PARKED = { commands: [{ name: 'parked' }] };
const CLAIMED = { commands: [{ name: 'claimed' }], models: [{ value: 'm' }] };

async function park(cli: MemoryCli, options: Options = {}) {
  return prewarm({ options: { ...options, transport: cli } });
}

function claimable(over: Record<string, object | string> = {}) {
  return new MemoryCli({ initialize: PARKED, claim_session: CLAIM, ...(over as object) });
}

const only = (cwd = FOLDER): ClaimOptions => ({ cwd });

describe('what a claim writes (TS-177)', () => {
  const rows: readonly {
    readonly name: string;
    readonly options: ClaimOptions;
    readonly writes: readonly unknown[];
    readonly claim?: object;
  }[] = [
    { name: 'the claim first and the prompt last', options: only(), writes: ['claim_session', 'user'] },
    {
      name: 'what belongs to the claim itself',
      options: {
        cwd: FOLDER,
        permissionMode: 'plan',
        env: { CLAUDE_CODE_OAUTH_TOKEN: 't' },
        additionalDirectories: ['/a', 'b'],
        appendSystemPrompt: 'more',
        title: 'T',
        agents: { r: { description: 'd', prompt: 'p' } },
      },
      writes: ['claim_session', 'user'],
      claim: {
        subtype: 'claim_session',
        cwd: FOLDER,
        permission_mode: 'plan',
        env: { CLAUDE_CODE_OAUTH_TOKEN: 't' },
        additional_directories: ['/a', 'b'],
        append_system_prompt: 'more',
        title: 'T',
        agents: { r: { description: 'd', prompt: 'p' } },
        sdk_mcp_servers: [],
        include_initialize: true,
      },
    },
    {
      name: 'the two options behind it',
      options: { cwd: FOLDER, maxThinkingTokens: null, model: 'm' },
      writes: ['claim_session', 'set_model', 'set_max_thinking_tokens', 'user'],
    },
    {
      name: 'settings that decide what it starts before it',
      options: { cwd: FOLDER, settings: { effortLevel: 'high' } },
      writes: ['apply_flag_settings', 'claim_session', 'user'],
    },
    {
      name: 'settings that it would reset behind it',
      options: { cwd: FOLDER, model: 'm', settings: { model: 'n' } },
      writes: ['claim_session', 'set_model', 'apply_flag_settings', 'user'],
    },
    {
      name: 'both kinds of settings around it',
      options: { cwd: FOLDER, settings: { permissions: { deny: ['Bash'] }, effortLevel: null } },
      writes: ['apply_flag_settings', 'claim_session', 'apply_flag_settings', 'user'],
    },
    {
      name: 'no request for empty settings',
      options: { cwd: FOLDER, settings: {} },
      writes: ['claim_session', 'user'],
    },
  ];
  test.each(rows)('$name', async ({ options, writes, claim }) => {
    const cli = claimable();
    const spare = await park(cli);
    expect(await drain(spare.claim({ prompt: 'Hi', options }))).toEqual(['result', 'end']);
    expect(cli.written).toEqual(['initialize', ...writes]);
    if (claim !== undefined) expect(cli.payload('claim_session')).toEqual(claim);
    expect(await spare.claimed).toEqual(INFO);
  });

  test('a string prompt is there when claim() returns', async () => {
    const cli = claimable();
    const spare = await park(cli);
    cli.answersPrompts = false;
    const seen = drain(spare.claim({ prompt: 'Hi', options: only() }));
    await settled();
    expect(cli.frames.at(-1)).toMatchObject({ type: 'user', message: { role: 'user' } });
    cli.emit(resultFrame());
    expect(await seen).toEqual(['result', 'end']);
  });

  test('with settings the prompt waits until all of them and the claim are accepted, but not for the options', async () => {
    const cli = claimable({ claim_session: SILENCE, apply_flag_settings: SILENCE, set_model: SILENCE });
    const spare = await park(cli);
    const options = { cwd: FOLDER, model: 'm', settings: { effortLevel: 'low' } } as const;
    const seen = drain(spare.claim({ prompt: 'Hi', options }));
    await settled();
    cli.answer('claim_session', CLAIM);
    await settled();
    expect(cli.written).not.toContain('user');
    cli.answer('apply_flag_settings', {});
    await settled();
    expect(cli.written.at(-1)).toBe('user');
    cli.answer('set_model', {});
    expect(await seen).toEqual(['result', 'end']);
    expect(await spare.claimed).toEqual(INFO);
  });

  test('a relative folder is taken from here; ~/ is the CLI’s', async () => {
    for (const [given, sent] of [
      ['a/b', `${process.cwd()}/a/b`],
      ['~/a', '~/a'],
      ['~', '~'],
      ['~user', `${process.cwd()}/~user`],
    ] as const) {
      const cli = claimable();
      await drain((await park(cli)).claim({ prompt: 'Hi', options: { cwd: given } }));
      expect(cli.payload('claim_session').cwd).toBe(sent);
    }
  });

  test('the in-process servers of the spare are named', async () => {
    const cli = claimable();
    const spare = await park(cli, { mcpServers: { mine: createSdkMcpServer({ name: 'other' }) } });
    await drain(spare.claim({ prompt: 'Hi', options: only() }));
    expect(cli.payload('claim_session').sdk_mcp_servers).toEqual(['mine']);
  });
});

describe('what prewarm() refuses', () => {
  test.each([{ resume: 'r' }, { continue: true }, { forkSession: true }])(
    '%o belongs to a session',
    async (options) => {
      const cli = new MemoryCli();
      const error = await rejection(park(cli, options));
      expect(error).toBeInstanceOf(InvalidOptionError);
      expect(error).toHaveProperty('option', Object.keys(options)[0]);
      expect(cli.frames).toEqual([]);
    },
  );

  test('what says "no session" is no session', async () => {
    const cli = claimable();
    const spare = await park(cli, { resume: '', continue: false, forkSession: false });
    expect(cli.written).toEqual(['initialize']);
    spare.close();
    await spare.exited;
    expect(cli).toMatchObject({ isInputEnded: true, isClosed: true });
  });

  test('an option that stands beside `options`, by name; other names are ignored', async () => {
    const cli = claimable();
    const misplaced = { options: { transport: cli }, model: 'm', initializeTimeoutMs: 50 };
    expect(await rejection(prewarm(misplaced))).toMatchObject({
      name: 'InvalidOptionError',
      option: 'model',
      message: expect.stringContaining('prewarm({ options: { model'),
    });
    expect(cli.written).toEqual([]);
    const harmless = { options: { transport: cli }, model: undefined, mine: 1 };
    (await prewarm(harmless)).close();
  });

  test('a start that the CLI refuses', async () => {
    const cli = new MemoryCli({ initialize: 'no' });
    expect(await rejection(park(cli))).toBeInstanceOf(ControlRequestError);
    await settled();
    expect(cli.isClosed).toBe(true);
  });

  test.each([undefined, null])('no parameters (%s) are as an empty object', async (params) => {
    // There is no CLI in these places; nothing else may be wrong.
    vi.stubEnv('PATH', '');
    const folder = mkdtempSync(join(tmpdir(), 'claudewire-test-'));
    vi.stubEnv('CLAUDE_CONFIG_DIR', folder);
    const error = await prewarm(params as undefined).catch((reason: unknown) => reason);
    expect(error instanceof InvalidOptionError).toBe(false);
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
});

describe('what claim() refuses, so that the spare can still be claimed', () => {
  const rows: readonly (readonly [option: string, options: unknown])[] = [
    ['options', undefined],
    ['options', null],
    ['cwd', {}],
    ['cwd', { cwd: '' }],
    ['cwd', { cwd: 5 }],
    ['cwd', { cwd: 'a\0b' }],
    ['model', { cwd: FOLDER, model: 5 }],
    ['permissionMode', { cwd: FOLDER, permissionMode: 5 }],
    ['maxThinkingTokens', { cwd: FOLDER, maxThinkingTokens: -1 }],
    ['env.SECRET', { cwd: FOLDER, env: { SECRET: 5 } }],
    ['additionalDirectories[0]', { cwd: FOLDER, additionalDirectories: [5] }],
    ['settings', { cwd: FOLDER, settings: '{}' }],
    ['settings', { cwd: FOLDER, settings: cyclic() }],
    ['agents', { cwd: FOLDER, agents: { a: cyclic() } }],
    ['resume', { cwd: FOLDER, resume: 'r' }],
    ['continue', { cwd: FOLDER, continue: true }],
    ['forkSession', { cwd: FOLDER, forkSession: true }],
    ['sessionId', { cwd: FOLDER, sessionId: '11111111-1111-4111-8111-111111111111' }],
    ['settings.hooks', { cwd: FOLDER, settings: { hooks: {} } }],
    ['settings.disableAllHooks', { cwd: FOLDER, settings: { disableAllHooks: null } }],
    ['settings.allowManagedHooksOnly', { cwd: FOLDER, settings: { allowManagedHooksOnly: true } }],
    ['settings.allowedHttpHookUrls', { cwd: FOLDER, settings: { allowedHttpHookUrls: [] } }],
    ['settings.httpHookAllowedEnvVars', { cwd: FOLDER, settings: { httpHookAllowedEnvVars: [] } }],
  ];
  test.each(rows)('%s', async (option, options) => {
    const cli = claimable();
    const spare = await park(cli);
    const claim = () => spare.claim({ prompt: 'Hi', options: options as ClaimOptions });
    expect(claim).toThrow(InvalidOptionError);
    expect(claim).toThrow(expect.objectContaining({ option }));
    expect(cli.written).toEqual(['initialize']);
    expect(await drain(spare.claim({ prompt: 'Hi', options: only() }))).toEqual(['result', 'end']);
  });

  test('but not what says "no other session", nor options of the process', async () => {
    const spare = await park(claimable());
    const options = { cwd: FOLDER, resume: '', continue: false, forkSession: undefined, maxTurns: 3 };
    expect(await drain(spare.claim({ prompt: 'Hi', options }))).toEqual(['result', 'end']);
  });

  test('no object at all, and a bad prompt', async () => {
    const cli = claimable();
    const spare = await park(cli);
    expect(() => (spare.claim as unknown as () => void)()).toThrow(InvalidOptionError);
    const prompt = 5 as unknown as string;
    expect(() => spare.claim({ prompt, options: only() })).toThrow(InvalidOptionError);
    expect(cli.written).toEqual(['initialize']);
    spare.close();
  });

  test('a hook setting that is undefined is not there', async () => {
    const spare = await park(claimable());
    const settings = { hooks: undefined } as unknown as NonNullable<ClaimOptions['settings']>;
    const run = spare.claim({ prompt: 'Hi', options: { cwd: FOLDER, settings } });
    expect(await drain(run)).toEqual(['result', 'end']);
  });

  test('the value of a variable is never shown', async () => {
    const spare = await park(claimable());
    const env = { SECRET: ['hunter2'] } as unknown as Record<string, string>;
    const claim = () => spare.claim({ prompt: 'Hi', options: { cwd: FOLDER, env } });
    expect(claim).toThrow(expect.objectContaining({ message: expect.not.stringContaining('hunter2') }));
    spare.close();
  });
});

describe('what the CLI refuses', () => {
  test('the claim: `claimed` rejects with its text, the input ends, the loop gives its last words', async () => {
    const cli = claimable({ claim_session: 'cwd_not_found: no such folder' });
    cli.answersPrompts = false;
    cli.exitsOnEof = false;
    const spare = await park(cli);
    const run = spare.claim({ prompt: 'Hi', options: only() });
    const error = await rejection(spare.claimed);
    expect(error).toBeInstanceOf(ControlRequestError);
    expect(error.message).toBe('cwd_not_found: no such folder');
    await settled();
    expect(cli.isInputEnded).toBe(true);
    expect(await run.initializationResult()).toEqual(PARKED);
    cli.emit(resultFrame({ subtype: 'error_during_execution', is_error: true, errors: ['not_claimed: no'] }));
    cli.exit();
    expect(await drain(run)).toEqual(['result', 'end']);
  });

  test.each([
    { name: 'before the claim', settings: { effortLevel: 'low' } },
    { name: 'behind the claim', settings: { fastMode: true } },
  ] as const)('settings $name: no prompt, the process goes, the claim is in the error', async ({ settings }) => {
    const cli = claimable({ apply_flag_settings: 'bad settings' });
    const spare = await park(cli);
    const run = spare.claim({ prompt: 'Hi', options: { cwd: FOLDER, settings } });
    expect(await drain(run)).toEqual(['end']);
    const error = await rejection(spare.claimed);
    expect(error).toBeInstanceOf(ClaimError);
    expect(error).toMatchObject({ errorClass: 'claim_failed', reason: 'settings_not_applied', claim: INFO });
    expect(error.message).toMatch(/^settings_not_applied: bad settings/);
    expect(error.cause).toBeInstanceOf(ControlRequestError);
    expect(outcomeOf(error).kind).toBe('not_started');
    expect(cli.written).not.toContain('user');
    expect(cli.isClosed).toBe(true);
  });

  test('settings, with incompleteStream "throw": the loop says so', async () => {
    const spare = await park(claimable({ apply_flag_settings: 'bad settings' }), { incompleteStream: 'throw' });
    const run = spare.claim({ prompt: 'Hi', options: { cwd: FOLDER, settings: { fastMode: true } } });
    expect((await drain(run))[0]).toBeInstanceOf(ClaimError);
  });

  test('settings and the claim: the claim’s text wins', async () => {
    const spare = await park(claimable({ apply_flag_settings: 'bad', claim_session: 'worse' }));
    spare.claim({ prompt: 'Hi', options: { cwd: FOLDER, settings: { fastMode: true } } });
    expect((await rejection(spare.claimed)).message).toBe('worse');
  });

  test('an option: the session runs without it, and the error names each', async () => {
    const cli = claimable({ set_model: 'unknown model', set_max_thinking_tokens: 'too many' });
    const spare = await park(cli);
    const run = spare.claim({ prompt: 'Hi', options: { cwd: FOLDER, model: 'x', maxThinkingTokens: 9 } });
    expect(await drain(run)).toEqual(['result', 'end']);
    const error = await rejection(spare.claimed);
    expect(error).toMatchObject({ reason: 'option_not_applied', claim: INFO });
    expect(outcomeOf(error).kind).toBe('failed');
    expect(error.message).toMatch(/^option_not_applied: model: unknown model; maxThinkingTokens: too many/);
  });

  test('nothing, in odd answers: what is missing is what was asked for, empty or false', async () => {
    const spare = await park(claimable({ claim_session: { cwd: 5, initialize: null } }));
    const run = spare.claim({ prompt: 'Hi', options: only() });
    await drain(run);
    expect(await spare.claimed).toEqual({ cwd: FOLDER, sessionId: '', sdkMcpSettled: false });
    expect(await run.initializationResult()).toEqual(PARKED);
  });
});

describe('what the query says of its session', () => {
  test('waits for the claim and describes it', async () => {
    const cli = claimable({ claim_session: SILENCE });
    const spare = await park(cli);
    const run = spare.claim({ prompt: 'Hi', options: only() });
    const asked = Promise.all([run.initializationResult(), run.supportedCommands(), run.supportedModels()]);
    let isThere = false;
    void asked.then(() => {
      isThere = true;
    });
    await settled();
    expect(isThere).toBe(false);
    cli.answer('claim_session', { ...CLAIM, initialize: CLAIMED });
    expect(await asked).toEqual([CLAIMED, CLAIMED.commands, CLAIMED.models]);
    await drain(run);
  });

  test('commands that changed while it was parked are not the session’s; later ones are', async () => {
    const cli = claimable({ claim_session: SILENCE });
    const changed = (name: string) => ({ type: 'system', subtype: 'commands_changed', commands: [{ name }] });
    const spare = await park(cli);
    cli.emit(changed('early'));
    await settled();
    cli.answersPrompts = false;
    const run = spare.claim({ prompt: 'Hi', options: only() });
    cli.answer('claim_session', { ...CLAIM, initialize: CLAIMED });
    expect(await run.supportedCommands()).toEqual(CLAIMED.commands);
    cli.emit(changed('late'));
    await settled();
    expect(await run.supportedCommands()).toEqual([{ name: 'late' }]);
    run.close();
  });
});

describe('the end of a spare', () => {
  test('close() before the claim: spare_closed, and claim() throws', async () => {
    const cli = claimable();
    const spare = await park(cli);
    spare.close();
    spare.close();
    expect(await rejection(spare.claimed)).toMatchObject({ reason: 'spare_closed' });
    expect(() => spare.claim({ prompt: 'Hi', options: only() })).toThrow(SessionClosedError);
    await spare.exited;
    expect(cli.isClosed).toBe(true);
    expect(cli.written).toEqual(['initialize']);
  });

  test.each([
    ['in good order', undefined],
    ['with an error', new Error('killed')],
  ])('a process that ends %s while parked: spare_exited, with the cause', async (_how, failure) => {
    const cli = claimable();
    const spare = await park(cli);
    cli.exit(failure);
    await spare.exited;
    const error = await rejection(spare.claimed);
    expect(error).toMatchObject({ reason: 'spare_exited' });
    expect((error.cause as Error).message).toContain(failure?.message ?? 'Claude Code ended the session');
    expect(() => spare.claim({ prompt: 'Hi', options: only() })).toThrow(
      'SpareProcess.claim() came too late: the process is gone. Call query() for this session.',
    );
  });

  test('an abort while parked: spare_exited, caused by the AbortError', async () => {
    const abortController = new AbortController();
    const spare = await park(claimable(), { abortController });
    abortController.abort();
    const error = await rejection(spare.claimed);
    expect(error).toMatchObject({ reason: 'spare_exited' });
    expect(error.cause).toBeInstanceOf(AbortError);
  });

  test('an abort while the claim is open rejects everything with the AbortError', async () => {
    const abortController = new AbortController();
    const cli = claimable({ claim_session: SILENCE });
    const spare = await park(cli, { abortController });
    const run = spare.claim({ prompt: 'Hi', options: only() });
    abortController.abort();
    expect(await rejection(spare.claimed)).toBeInstanceOf(AbortError);
    expect((await drain(run)).at(-1)).toBeInstanceOf(AbortError);
  });

  test('a second claim throws, whatever is wrong with it', async () => {
    const spare = await park(claimable());
    const run = spare.claim({ prompt: 'Hi', options: only() });
    const again = () => spare.claim({ prompt: 'Hi', options: { cwd: 5 } as unknown as ClaimOptions });
    expect(again).toThrow('SpareProcess.claim() can only be called once');
    expect(again).toThrow(SessionClosedError);
    await drain(run);
    expect(again).toThrow('can only be called once');
  });

  test('close() after the claim closes its query; `claimed` says what became of the claim', async () => {
    const cli = claimable();
    cli.answersPrompts = false;
    const spare = await park(cli);
    const run = spare.claim({ prompt: 'Hi', options: only() });
    await spare.claimed;
    await spare[Symbol.asyncDispose]();
    expect(await drain(run)).toEqual(['end']);
    expect(await spare.claimed).toEqual(INFO);
  });

  test('`claimed` that nobody waits for ends nothing', async () => {
    const unhandled: unknown[] = [];
    const listener = (reason: unknown) => unhandled.push(reason);
    process.on('unhandledRejection', listener);
    for (const replies of [{}, { claim_session: 'no' }, { set_model: 'no' }, { apply_flag_settings: 'no' }]) {
      const spare = await park(claimable(replies));
      const run = spare.claim({ prompt: 'Hi', options: { cwd: FOLDER, model: 'm', settings: { fastMode: true } } });
      await drain(run);
    }
    (await park(claimable())).close();
    await settled();
    process.off('unhandledRejection', listener);
    expect(unhandled).toEqual([]);
  });

  test('its methods may be taken off the object, as the official ones', async () => {
    const { claim, close, claimed } = await park(claimable());
    expect(await drain(claim({ prompt: 'Hi', options: only() }))).toEqual(['result', 'end']);
    close();
    expect(await claimed).toEqual(INFO);
  });
});

describe('time', () => {
  beforeEach(() => vi.useFakeTimers({ toFake: [...CLOCKS] }));
  afterEach(() => vi.useRealTimers());

  test('a start has 60 s, and hooks count', async () => {
    const cli = new MemoryCli({ initialize: SILENCE });
    const error = rejection(park(cli));
    await pass(1000);
    cli.emit({ type: 'system', subtype: 'hook_started', hook_id: 'h', hook_event: 'Setup' });
    await pass(58_999);
    expect(cli.isInputEnded).toBe(false);
    await pass(1);
    expect(await error).toMatchObject({ errorClass: 'initialize_timeout', startupHooksOpen: 1 });
  });

  test('an unanswered claim ends the session after controlTimeoutMs: its prompt must not run behind a fallback', async () => {
    const cli = claimable({ claim_session: SILENCE });
    cli.answersPrompts = false;
    const spare = await park(cli, { controlTimeoutMs: 5000 });
    await pass(3_600_000);
    const seen = drain(spare.claim({ prompt: 'Hi', options: only() }));
    const error = rejection(spare.claimed);
    await pass(4999);
    expect(cli.isClosed).toBe(false);
    await pass(1);
    expect(await error).toBeInstanceOf(ControlRequestTimeoutError);
    expect(await error).toMatchObject({ subtype: 'claim_session', timeoutMs: 5000 });
    expect(await seen).toEqual([await error]);
    expect(cli.isClosed).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('a claim without an option of its own has 60 s', async () => {
    const cli = claimable({ claim_session: SILENCE });
    const spare = await park(cli);
    spare.claim({ prompt: 'Hi', options: only() });
    const error = rejection(spare.claimed);
    await pass(60_000);
    expect(await error).toMatchObject({ subtype: 'claim_session', timeoutMs: 60_000 });
  });

  test('settings without an answer end the session before the prompt', async () => {
    const cli = claimable({ apply_flag_settings: SILENCE });
    const spare = await park(cli);
    const run = spare.claim({ prompt: 'Hi', options: { cwd: FOLDER, settings: { fastMode: true } } });
    const error = rejection(spare.claimed);
    await pass(60_000);
    expect(await error).toMatchObject({ reason: 'settings_not_applied', claim: INFO });
    expect(await drain(run)).toEqual(['end']);
    expect(cli.written).not.toContain('user');
  });
});

function cyclic(): object {
  const value: Record<string, unknown> = {};
  value.self = value;
  return value;
}
