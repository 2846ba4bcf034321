/** What both TypeScript SDKs need behind the driver protocol for the comparison: warnings, and the host they run in. */
import type * as sdk from '../../../../src/index.js';
import { setScaledTimers } from './scaled-clock.js';

setScaledTimers();
// Before the kit takes stdout for itself.
const print = process.stdout.write.bind(process.stdout);
const tell = (what: string, fields: object): void =>
  void print(`${JSON.stringify({ event: 'observed', run: 'main', what, ...fields })}\n`);

export const KINDS: Readonly<Record<string, string>> = {
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
export type Given = sdk.Options & {
  /** The environment of the host for this run. */
  readonly $hostEnv?: Readonly<Record<string, string>>;
  readonly $construct?: boolean;
  readonly $stderrThrows?: boolean;
  readonly $promptThrows?: boolean;
};

export async function* promptThatThrows(): AsyncGenerator<sdk.SDKUserMessage, void> {
  yield { type: 'user', message: { role: 'user', content: 'one' }, parent_tool_use_id: null };
  throw new Error('mine');
}

export function watched({ $construct: _, $promptThrows: __, $stderrThrows, ...options }: Given): sdk.Options {
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
export function enterHost(environment: Readonly<Record<string, string>> = {}): void {
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
