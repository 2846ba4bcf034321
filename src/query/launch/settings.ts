import { InvalidOptionError } from '../../errors.js';
import { type JsonObject, parseJsonObject } from '../../util/json.js';
import type { ConfigArgument } from './config-argument.js';
import { isFilled } from './mcp-config.js';
import { mergeSandbox } from './sandbox.js';
import type { GivenOptions } from './validate-options.js';
import { toJsonText, toWireJson } from './wire-json.js';

/** The value of `--settings`, and what it makes of `extraArgs.settings`. */
export interface SettingsPlan {
  /** `undefined`: no `--settings` of ours. */
  readonly argument: ConfigArgument | undefined;
  /** True when `extraArgs.settings` went into `argument`, or was beaten by `settings`. */
  readonly replacesExtraArg: boolean;
}

/**
 * Joins `settings`, `sandbox` and `extraArgs.settings` into one value: the first beats the third, the
 * second is merged into inline JSON.
 *
 * @throws InvalidOptionError `sandbox` beside a settings file, which nobody has read.
 */
export function planSettings(options: GivenOptions, mayUseFile: boolean): SettingsPlan {
  const { sandbox } = options;
  const extra = options.extraArgs?.settings;
  const own = options.settings === '' ? undefined : options.settings;
  const base = own ?? (typeof extra === 'string' && extra !== '' ? extra : undefined);
  const inline = typeof base === 'string' ? parseJsonObject(base) : base;

  if (sandbox === undefined) {
    const isPrivate = mayUseFile && isFilled(inline?.env);
    // Without a reason to touch it, the caller's own flag stays where it is.
    if (base === undefined || (own === undefined && !isPrivate)) {
      return { argument: undefined, replacesExtraArg: false };
    }
    const text = typeof base === 'string' ? base : toJsonText(base, 'settings');
    return { argument: asArgument(text, isPrivate), replacesExtraArg: true };
  }

  if (base !== undefined && inline === undefined) {
    throw new InvalidOptionError(
      'sandbox',
      'Option `sandbox` cannot be merged into a settings file: put the sandbox into that file, or give `settings` as an object or JSON text.',
    );
  }
  const settings = toWireJson<JsonObject>(inline ?? {}, 'settings');
  const merged = {
    ...settings,
    sandbox: mergeSandbox(settings.sandbox, toWireJson<JsonObject>(sandbox, 'sandbox')),
  };
  return {
    argument: asArgument(JSON.stringify(merged), mayUseFile && isFilled(settings.env)),
    replacesExtraArg: true,
  };
}

function asArgument(text: string, isPrivate: boolean): ConfigArgument {
  return { text, isPrivate, fileName: 'settings.json' };
}
