import type { Allowed } from './whole.js';

/** Every kind of place where the whole observations of the two releases of the Python SDK differ and no row says so. */
export const MOVED: readonly Allowed[] = [
  {
    at: ['env/CLAUDE_AGENT_SDK_VERSION'],
    reason: 'own',
    cites: 'its version',
    why: 'Each release gives its own version.',
  },
  {
    at: ['env/CLAUDE_CODE_SDK_READS_SESSION_STATE'],
    reason: 'official-ts',
    cites: 'TS-003',
    why: 'The newer release asks for session states, as the TypeScript SDK and this package do, and holds stdin until `idle`.',
  },
  {
    at: [''],
    in: ['flags: sandbox and a missing settings file', 'flags: sandbox and broken settings'],
    reason: 'view',
    cites: 'PY-048, PY-049',
    why: 'The newer release starts nothing: settings that cannot be loaded are an error.',
  },
  {
    at: ['callbacks/#/input/suggestions'],
    in: ['permissions: answers'],
    reason: 'view',
    cites: 'PY-225',
    why: 'The driver writes suggestions down as the release would send them: the newer one adds no `ruleContent: null`.',
  },
  {
    at: ['messages', 'said', 'happened', 'answers'],
    in: ['release: states…', 'release: running at the result', 'release: idle first', 'release: two messages'],
    reason: 'view',
    cites: 'PY-353, PY-354, PY-357',
    why: 'The newer release keeps session states for itself, and the input open until `idle`.',
  },
  {
    at: ['warnings'],
    in: ['release: permission updates'],
    reason: 'view',
    cites: 'PY-361',
    why: 'The newer release warns of updates that it cannot send.',
  },
  {
    at: ['failure', 'end', 'happened'],
    in: ['end: cancelled while closing'],
    reason: 'own',
    cites: 'PY-101',
    mayBeMissing: true,
    why: 'Whether the loop is over before its cancellation arrives depends on who is first.',
  },
  {
    at: ['failure', 'end', 'messages', 'said', 'happened'],
    in: ['control: a request while 150 messages are unread'],
    reason: 'own',
    cites: 'D2',
    mayBeMissing: true,
    why: 'What is left of the messages that nobody reads depends on who is first.',
  },
  {
    at: ['cancelled'],
    in: ['mcp: a tool that goes on'],
    reason: 'own',
    cites: 'PY-176',
    mayBeMissing: true,
    why: 'How often a tool that goes on has been told so when the run is over depends on who is first.',
  },
];
