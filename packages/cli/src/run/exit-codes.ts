import type { OutcomeKind } from 'claudewire';

/** What `claudewire run` exits with. 2, unusable arguments, is the program's. */
export const EXIT_CODES: { readonly [K in OutcomeKind]: number } = {
  completed: 0,
  // Something that no other number says.
  failed: 1,
  crashed: 1,
  incomplete: 1,
  refused: 1,
  deferred: 1,
  hook_stopped: 1,
  structured_output_failed: 1,
  // A limit of the caller.
  max_turns: 3,
  max_budget: 3,
  deadline: 3,
  // The same call may end otherwise later.
  rate_limited: 4,
  overloaded: 4,
  server_error: 4,
  connection_failed: 4,
  idle_timeout: 4,
  // The installation or the account.
  not_started: 5,
  auth: 5,
  billing: 5,
  model_not_found: 5,
  // What was asked.
  invalid_request: 6,
  context_overflow: 6,
  max_output_tokens: 6,
  interrupted: 130,
};

export const EXIT_CODES_HELP = `
Exit codes:
  0    completed
  1    failed, crashed, incomplete, refused, deferred, hook_stopped, structured_output_failed; or the
       reader of standard output has gone
  2    the arguments cannot be used; nothing was started
  3    a limit of yours: max_turns, max_budget, deadline
  4    the same call may work later: rate_limited, overloaded, server_error, connection_failed,
       idle_timeout
  5    the installation or the account: not_started, auth, billing, model_not_found
  6    what was asked: invalid_request, context_overflow, max_output_tokens
  130  interrupted (Ctrl-C)
  131  Ctrl-\\ (SIGQUIT): ended at once, without a summary
  143  SIGTERM, or the terminal is gone`;
