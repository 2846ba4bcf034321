import { requireOption } from '../../errors/usage-errors.js';
import { memberPath } from '../../util/member-path.js';
import { argumentString, secretString } from '../../util/validate.js';
import type { LaunchHost } from './launch-plan.js';
import type { GivenOptions } from './validate-options.js';

type Environment = Record<string, string>;

/** Keeps Windows from looking for programs in the working directory first. The official SDK sets it in the host, and the child inherits it. */
const NO_CURRENT_DIRECTORY = 'NoDefaultCurrentDirectoryInExePath';

/** Makes the CLI say how far its start has come, for the error of one that does not end (`startup-marks`). */
const STARTUP_MARKS = 'CLAUDE_CODE_SDK_READS_STARTUP_MARKS';

/**
 * The child's whole environment: `options.env` or the host's, with the variables the CLI expects from an SDK (TS-003 to
 * TS-008, TS-065, TS-066). Neither source is changed.
 * @throws InvalidOptionError a value that is not text. Its message never shows a value.
 */
export function buildEnvironment(options: GivenOptions, host: LaunchHost): Readonly<Record<string, string>> {
  const env = copyEnvironment(options.env ?? host.env);
  const names = new Variables(env, host.platform);

  names.setDefault('CLAUDE_CODE_ENTRYPOINT', 'sdk-ts');
  names.setDefault('CLAUDE_CODE_SDK_READS_SESSION_STATE', '1');
  // Elsewhere it means nothing, and a caller's environment stays as it is.
  if (options.env === undefined || host.platform === 'win32') names.setDefault(NO_CURRENT_DIRECTORY, '1');
  if (host.front === 'warm') names.setDefault(STARTUP_MARKS, '1');
  // An inherited version is that of an SDK further up; only the caller's own stays.
  if (options.env === undefined || !names.has('CLAUDE_AGENT_SDK_VERSION')) {
    names.set('CLAUDE_AGENT_SDK_VERSION', `claudewire/${host.sdkVersion}`);
  }

  if (options.clientApp !== undefined) names.set('CLAUDE_AGENT_SDK_CLIENT_APP', options.clientApp);

  names.delete('NODE_OPTIONS');
  const wantsDebug = Boolean(names.get('DEBUG_CLAUDE_AGENT_SDK'));
  names.delete('DEBUG');
  if (wantsDebug) names.set('DEBUG', '1');

  addTraceContext(names, options, host);
  if (options.enableFileCheckpointing === true) names.set('CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING', 'true');
  const previewFormat = options.toolConfig?.askUserQuestion?.previewFormat;
  if (previewFormat !== undefined && previewFormat !== null) {
    names.set('CLAUDE_CODE_QUESTION_PREVIEW_FORMAT', previewFormat);
  }
  return env;
}

/** A copy of an environment with one variable set, whatever its spelling was. */
export function withVariable(
  env: Readonly<Environment>,
  name: string,
  value: string,
  platform: NodeJS.Platform,
): Readonly<Environment> {
  const copy = { ...env };
  new Variables(copy, platform).set(name, value);
  return copy;
}

/**
 * The active span becomes the child's parent, instead of the one the host itself was started under. A trace that the
 * caller put into `env` stays whole: its `TRACESTATE` belongs to its `TRACEPARENT`.
 */
function addTraceContext(names: Variables, options: GivenOptions, host: LaunchHost): void {
  const { traceContext } = host;
  if (traceContext === undefined || (options.env !== undefined && names.has('TRACEPARENT'))) return;
  names.delete('TRACEPARENT');
  names.delete('TRACESTATE');
  names.set('TRACEPARENT', traceContext.traceparent);
  if (traceContext.tracestate) names.set('TRACESTATE', traceContext.tracestate);
}

function copyEnvironment(source: Readonly<Record<string, unknown>>): Environment {
  const given: [name: string, value: string][] = [];
  for (const [name, value] of Object.entries(source)) {
    // The official SDK sends the text "null"; here the variable is left out.
    if (value !== undefined && value !== null) given.push([name, asVariable(name, value)]);
  }
  return Object.fromEntries(given);
}

function asVariable(name: string, value: unknown): string {
  const text = typeof value === 'number' || typeof value === 'boolean' ? String(value) : value;
  // Each session has dozens of variables. Only a wrong one needs the validators, and a path for their message.
  if (typeof text === 'string' && !text.includes('\0') && !name.includes('\0')) return text;
  const path = memberPath('env', name);
  requireOption(secretString, text, path);
  requireOption(argumentString, name, path);
  // It passed the validator.
  return text as string;
}

/** Reads and changes variables as the platform does: Windows takes `Path` and `PATH` for one. */
class Variables {
  readonly #env: Environment;
  readonly #ignoresCase: boolean;

  constructor(env: Environment, platform: NodeJS.Platform) {
    this.#env = env;
    this.#ignoresCase = platform === 'win32';
  }

  has(name: string): boolean {
    return this.#find(name).length > 0;
  }

  get(name: string): string | undefined {
    return this.#env[this.#find(name)[0] ?? name];
  }

  set(name: string, value: string): void {
    this.delete(name);
    this.#env[name] = value;
  }

  setDefault(name: string, value: string): void {
    if (!this.has(name)) this.set(name, value);
  }

  delete(name: string): void {
    for (const spelling of this.#find(name)) delete this.#env[spelling];
  }

  #find(name: string): readonly string[] {
    if (!this.#ignoresCase) return Object.hasOwn(this.#env, name) ? [name] : [];
    return Object.keys(this.#env).filter((spelling) => spelling.toUpperCase() === name.toUpperCase());
  }
}
