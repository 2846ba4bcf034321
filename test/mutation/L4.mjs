import { remove, removeProperty, replace, setCase } from './changes.mjs';

/** Callbacks: permissions, hooks, elicitations, cancellation. */
export default [
  {
    name: 'answer-to-the-latest-request',
    symbol: 'InboundRouter.#answer',
    change: replace(
      'this.#write(call.requestId, outcome)',
      'this.#write([...this.#calls.keys()].at(-1) ?? call.requestId, outcome)',
    ),
    breaks: 'With several questions open, an answer carries the id of the latest one.',
  },
  {
    name: 'answers-twice',
    symbol: 'InboundRouter.#settle',
    change: replace('this.#answer(call, outcome)', '(this.#answer(call, outcome), this.#answer(call, outcome))'),
    breaks: 'Every question of the CLI is answered twice.',
  },
  {
    name: 'cancel-does-not-reach-the-callback',
    symbol: 'InboundRouter.onCancel',
    change: replace('call.abort($error)', 'call.isCancelled = true'),
    breaks: 'The signal of a callback does not fire when its question is withdrawn.',
  },
  {
    name: 'bad-hook-result-fails-open',
    symbol: 'hookOutcome',
    change: replace('failClosed($$why)', 'success({})'),
    breaks: 'A hook result of a wrong shape counts as no opinion, and the tool runs.',
  },
  {
    name: 'hook-that-throws-has-no-opinion',
    symbol: 'hookCallbacks',
    change: replace('failure(message)', 'success({})'),
    breaks: 'A hook that throws is answered with a success.',
  },
  {
    name: 'tool-use-id-not-echoed',
    symbol: 'permissions',
    change: removeProperty('toolUseID'),
    breaks: 'The answer to can_use_tool lacks toolUseID.',
  },
  {
    name: 'repeated-question-runs-again',
    symbol: 'InboundRouter.accept',
    change: replace('this.#calls.has(requestId)', 'this.#calls.has(requestId) && this.#isClosed'),
    breaks: 'A question that comes twice while it is open runs its callback twice.',
  },
  {
    name: 'unknown-question-unanswered',
    symbol: 'InboundRouter.accept',
    change: remove('this.#refuseUnsupported($$question)'),
    breaks: 'A control request of a kind that is not known gets no answer.',
  },
  {
    name: 'callbacks-one-after-another',
    symbol: 'InboundRouter.#start',
    change: replace(
      'const $outcome = this.#handle($call);',
      "const before: Promise<unknown> = Reflect.get(this, 'before') ?? Promise.resolve(); const $outcome = before.then(() => this.#handle($call)); Reflect.set(this, 'before', $outcome);",
    ),
    breaks: 'A callback starts only when the one before it has answered.',
  },
  {
    name: 'suggestions-lost',
    symbol: 'toCallbackOptions',
    change: replace('request.permission_suggestions', 'request.suggestions'),
    breaks: 'canUseTool does not get the suggested permission updates.',
  },
  {
    name: 'hook-ids-collide',
    symbol: 'planHooks',
    change: replace('registered.length', 'wire.length'),
    breaks: 'The hooks of one event share an id.',
  },
  {
    name: 'elicitation-cancelled-by-default',
    symbol: 'elicitations',
    change: replace("'decline'", "'cancel'"),
    breaks: 'Without a callback an elicitation is cancelled instead of declined.',
  },
  {
    name: 'signals-survive-the-session',
    symbol: 'InboundRouter.close',
    change: replace('call.abort($error)', 'call.isCancelled = true'),
    breaks: 'Callbacks that are running are not told that the session ended.',
  },
  {
    name: 'hook-timeout-not-announced',
    symbol: 'planHooks',
    change: removeProperty('timeout'),
    breaks: 'The time limit of a hook is not sent.',
  },
  {
    name: 'bad-prompt-hook-result-fails-open',
    symbol: 'failClosed',
    change: setCase("'UserPromptSubmit'", 'return success({});'),
    breaks: 'A UserPromptSubmit hook that gave something else lets the prompt through.',
  },
];
