import { type Checks, custom, fields, func, object, optional, withMethods } from '../checks.js';
import type { ApprovalOptions, SessionHostOptions } from './host-options.js';

const APPROVALS: Checks<ApprovalOptions> = {
  store: withMethods('an ApprovalStore, such as `new FileApprovalStore(folder)`', [
    ...['create', 'get', 'list', 'change', 'removeAll'],
  ]),
  // Their ids and secrets are looked at where they are used.
  keys: custom('an array of `{ id, secret }`', (value) => Array.isArray(value) && value.every(isKey)),
  expiresMs: optional(
    custom('a number of milliseconds above 0', (value) => Number.isFinite(value) && Number(value) > 0),
  ),
  needsApproval: func('a function that says whether a call has to wait'),
};

/** What the host is made of. `limits` are looked at with their defaults. */
export const HOST_CHECKS: Checks<SessionHostOptions> = {
  store: withMethods('a ConversationStore, such as `new FileConversationStore(folder)`', [
    ...['create', 'get', 'update', 'list', 'usage', 'remove', 'acquire', 'renew', 'release'],
  ]),
  sessionStore: withMethods('a SessionStore, such as `new FileSessionStore(folder)` of claudewire', ['append', 'load']),
  eventLog: optional(withMethods('an EventLog, such as `new FileEventLog(folder)`', ['append', 'read', 'remove'])),
  wakeUps: optional(withMethods('a WakeUpStore, such as `new FileWakeUpStore(folder)`', ['get', 'set', 'due'])),
  limits: optional(object),
  approvals: optional(fields(APPROVALS)),
  optionsFor: func('a function that returns the options of a tenant'),
  onEvent: optional(func()),
  onCrash: optional(func()),
};

function isKey(value: unknown): boolean {
  return typeof value === 'object' && value !== null;
}
