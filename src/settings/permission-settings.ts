import { type Check, flag, lenient, list, object, oneOf, orElse, text } from './checks.js';
import { STRICTEST_PERMISSIONS } from './managed-stand-ins.js';
import { allowRules, askAndDenyRules } from './permission-rules.js';

const mode: Check = (value) =>
  value === 'manual'
    ? 'default'
    : oneOf('acceptEdits', 'auto', 'bypassPermissions', 'default', 'dontAsk', 'plan')(value);

const LISTS = {
  allow: allowRules,
  deny: askAndDenyRules,
  ask: askAndDenyRules,
  additionalDirectories: list(text),
};

const SWITCHES = {
  disableBypassPermissionsMode: oneOf('disable'),
  disableAutoMode: oneOf('disable'),
  blockReadsOutsideWorkingDirectories: flag,
  blockWritesOutsideWorkingDirectories: flag,
  denyInsteadOfPrompting: flag,
};

/** The `permissions` key of a file. Unknown keys pass. */
export const permissions = object({ ...LISTS, ...SWITCHES, defaultMode: mode });

const switches = lenient(SWITCHES, STRICTEST_PERMISSIONS);

/** The `permissions` key of a policy: a switch that cannot be used is on, a mode that cannot be used is the default. */
export const policyPermissions = (value: unknown): unknown =>
  object({ ...LISTS, defaultMode: orElse(mode, 'default') })(switches(value));
