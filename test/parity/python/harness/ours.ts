/** Our package behind the driver protocol, with what only the comparison needs: warnings, and the base classes of errors. */
// @ts-expect-error plain JavaScript, without declarations
import { serveTypeScriptSdk } from '../../../../packages/conformance/drivers/kit/typescript-driver.mjs';
import * as sdk from '../../../../src/index.js';
import type { JsonObject } from '../../../../src/util/json.js';
import { find } from './find-on-windows.js';
import { ourServer } from './our-servers.js';
import { setScaledTimers } from './scaled-clock.js';

setScaledTimers();
// Before the kit takes stdout for itself.
const print = process.stdout.write.bind(process.stdout);
const tell = (what: string, fields: object): void =>
  void print(`${JSON.stringify({ event: 'observed', run: 'main', what, ...fields })}\n`);

/** The classes both packages have. */
const CLASSES = [
  sdk.CLINotFoundError,
  sdk.CLIConnectionError,
  sdk.ResultError,
  sdk.ProcessError,
  sdk.CLIJSONDecodeError,
  sdk.MessageParseError,
  sdk.ClaudeSDKError,
];

const KINDS: Readonly<Record<string, string>> = {
  aborted: 'aborted',
  executable_not_found: 'not_found',
  executable_launch_failed: 'launch',
  connection_failed: 'launch',
  query_closed: 'closed',
  not_connected: 'closed',
  process_error: 'process_exit',
  process_exited_nonzero: 'process_exit',
  process_killed_by_signal: 'process_exit',
  error_result: 'result',
  frame_invalid: 'json',
  frame_too_large: 'frame_too_large',
  message_invalid: 'parse',
  control_request_failed: 'control',
  control_request_timeout: 'timeout',
  initialize_timeout: 'timeout',
  session_store_timeout: 'timeout',
  invalid_option: 'invalid_option',
};

process.on('warning', (warning: Error & { code?: string }) =>
  tell('warning', { category: warning.code ?? warning.name, text: warning.message }),
);
process.on('unhandledRejection', (reason) => tell('warning', { category: 'unhandledRejection', text: String(reason) }));

/** Options that start with `$` say what the harness is to do with the others. */
type Given = sdk.Options & {
  /** The environment of the host for this run. */
  readonly $hostEnv?: Readonly<Record<string, string>>;
  readonly $construct?: boolean;
  readonly $stderrThrows?: boolean;
  readonly $promptThrows?: boolean;
};

async function* promptThatThrows(): AsyncGenerator<sdk.SDKUserMessage, void> {
  yield { type: 'user', message: { role: 'user', content: 'one' }, parent_tool_use_id: null };
  throw new Error('mine');
}

function makeClient(options: Given): object {
  enterHost(options.$hostEnv);
  const client = new sdk.ClaudeClient(watched(options));
  // Only made: nothing is started.
  if (options.$construct === true) {
    return { find, connect: async () => {}, receiveMessages: async function* () {}, disconnect: async () => {} };
  }
  return Object.assign(client, {
    // The Python client returns the whole answer.
    get_mcp_status: () => client.request('mcp_status'),
    exit: () => process.exit(0),
  });
}

function watched({ $construct: _, $promptThrows: __, $stderrThrows, ...options }: Given): sdk.Options {
  return {
    ...options,
    ...(options.stderr === undefined
      ? {}
      : {
          stderr: (text: string) => {
            tell('chunk', { text });
            options.stderr?.(text);
            if ($stderrThrows === true) throw new Error('mine');
          },
        }),
    ...(options.hooks === undefined ? {} : { hooks: withUnserialisable(options.hooks) }),
    onDiagnostic: ({ code, message }) => tell('warning', { category: `diagnostic:${code}`, text: message }),
  };
}

/** A hook that is to return what JSON cannot say. */
function withUnserialisable(hooks: NonNullable<sdk.Options['hooks']>): NonNullable<sdk.Options['hooks']> {
  const wrap =
    (hook: sdk.HookCallback): sdk.HookCallback =>
    async (...args) => {
      const value = await hook(...args);
      return Object(value).$unserialisable === true ? ({ value: 1n } as never) : value;
    };
  return Object.fromEntries(
    Object.entries(hooks).map(([event, matchers]) => [
      event,
      matchers.map((matcher) => ({ ...matcher, hooks: matcher.hooks.map(wrap) })),
    ]),
  );
}

const REGISTRY = Symbol.for('opentelemetry.js.api.1');
const SPAN = '00-11111111111111111111111111111111-2222222222222222-01';
const BASE_ENVIRONMENT = { ...process.env };
const REAL_PLATFORM = process.platform;

/** The environment of the host from here on, as if the process had been started in it. */
function enterHost(environment: Readonly<Record<string, string>> = {}): void {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, BASE_ENVIRONMENT, environment);
  const platform = environment.PARITY_PLATFORM ?? REAL_PLATFORM;
  Object.defineProperty(process, 'platform', { value: platform });
  traceAs(environment.PARITY_TRACE === '1' ? SPAN : undefined);
}

/** An active span, as the OpenTelemetry API has it. */
function traceAs(traceparent: string | undefined): void {
  if (traceparent === undefined) {
    Reflect.deleteProperty(globalThis, REGISTRY);
    return;
  }
  const propagation = {
    inject: (_: unknown, carrier: Record<string, string>) => {
      carrier.traceparent = traceparent;
    },
  };
  const context = { active: () => ({}) };
  Reflect.set(globalThis, REGISTRY, { version: '1.9.0', context, propagation });
}

function classify(error: Error): { kind: string } & JsonObject {
  const field = (name: string): unknown => Reflect.get(error, name);
  return {
    kind: KINDS[String(field('errorClass'))] ?? 'other',
    classes: CLASSES.filter((known) => error instanceof known).map(({ name }) => name),
    ...(typeof field('exitCode') === 'number' ? { exit_code: field('exitCode') } : {}),
    ...(typeof field('signal') === 'string' ? { signal: field('signal') } : {}),
    ...(typeof field('option') === 'string' ? { option: field('option') } : {}),
    ...(error instanceof sdk.CLIJSONDecodeError ? { line: error.line } : {}),
    ...(error instanceof sdk.ResultError
      ? {
          fields: {
            subtype: error.subtype ?? null,
            errors: error.errors ?? null,
            result: error.result ?? null,
            api_error_status: error.apiErrorStatus ?? null,
            terminal_reason: error.terminalReason ?? null,
            session_id: error.sessionId ?? null,
          },
        }
      : {}),
  };
}

await serveTypeScriptSdk(
  { driver: 'ours', sdk: 'claudewire', version: sdk.VERSION, language: 'typescript', features: [] },
  {
    query: ({ prompt, options }: { prompt: string; options: Given }) => {
      enterHost(options.$hostEnv);
      return sdk.query({
        prompt: options.$promptThrows === true ? promptThatThrows() : prompt,
        options: watched(options),
      });
    },
    makeClient,
    clientNames: { initializationResult: 'getServerInfo' },
    makeServer: ourServer,
    functions: sdk as unknown as Record<string, (...args: unknown[]) => unknown>,
    classify,
  },
);
