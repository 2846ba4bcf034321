// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are pieces of source

/** Callbacks: permissions, hooks, elicitations, cancellation. */
export default [
  {
    name: 'answer-to-the-latest-request',
    file: 'src/control/inbound-router.ts',
    find: '      this.#write(call.requestId, outcome);\n    } catch (thrown) {\n      if (isClaudeSDKError',
    replace:
      '      this.#write([...this.#calls.keys()].at(-1) ?? call.requestId, outcome);\n    } catch (thrown) {\n      if (isClaudeSDKError',
    breaks: 'With several questions open, an answer carries the id of the latest one.',
  },
  {
    name: 'answers-twice',
    file: 'src/control/inbound-router.ts',
    find: '        this.#answer(call, outcome);\n      }',
    replace: '        this.#answer(call, outcome);\n        this.#answer(call, outcome);\n      }',
    breaks: 'Every question of the CLI is answered twice.',
  },
  {
    name: 'cancel-does-not-reach-the-callback',
    file: 'src/control/inbound-router.ts',
    find: "call.abort(new AbortError('Claude Code withdrew the request'));",
    replace: 'call.isCancelled = true;',
    breaks: 'The signal of a callback does not fire when its question is withdrawn.',
  },
  {
    name: 'bad-hook-result-fails-open',
    file: 'src/control/hooks.ts',
    find: '    return failClosed(hook.event, message);\n  }\n\n  #onThrow',
    replace: '    return success({});\n  }\n\n  #onThrow',
    breaks: 'A hook result of a wrong shape counts as no opinion, and the tool runs.',
  },
  {
    name: 'hook-that-throws-has-no-opinion',
    file: 'src/control/hooks.ts',
    find: "return this.#onHookError === 'deny' ? failClosed(hook.event, message) : failure(message);",
    replace: "return this.#onHookError === 'deny' ? failClosed(hook.event, message) : success({});",
    breaks: 'A hook that throws is answered with a success.',
  },
  {
    name: 'tool-use-id-not-echoed',
    file: 'src/control/permissions.ts',
    find: '{ ...check.answer, toolUseID: request.tool_use_id }',
    replace: '{ ...check.answer }',
    breaks: 'The answer to can_use_tool lacks toolUseID.',
  },
  {
    name: 'repeated-question-runs-again',
    file: 'src/control/inbound-router.ts',
    find: 'if (this.#calls.has(requestId)) {',
    replace: 'if (this.#calls.has(requestId) && this.#isClosed) {',
    breaks: 'A question that comes twice while it is open runs its callback twice.',
  },
  {
    name: 'unknown-question-unanswered',
    file: 'src/control/inbound-router.ts',
    find: 'if (handler === undefined) this.#refuseUnsupported(requestId, subtype);',
    replace: 'if (handler === undefined) return;',
    breaks: 'A control request of a kind that is not known gets no answer.',
  },
  {
    name: 'callbacks-one-after-another',
    file: 'src/control/inbound-router.ts',
    find: 'const outcome = this.#handle(call);',
    replace:
      'const before: Promise<unknown> = Reflect.get(this, "before") ?? Promise.resolve();\n    const outcome = before.then(() => this.#handle(call));\n    Reflect.set(this, "before", outcome);',
    breaks: 'A callback starts only when the one before it has answered.',
  },
  {
    name: 'suggestions-lost',
    file: 'src/control/permissions.ts',
    find: 'toSuggestions(request.permission_suggestions)',
    replace: 'toSuggestions(request.suggestions)',
    breaks: 'canUseTool does not get the suggested permission updates.',
  },
  {
    name: 'hook-ids-collide',
    file: 'src/query/launch/hooks.ts',
    find: 'const callbackId = `hook_${registered.length}`;',
    replace: 'const callbackId = `hook_${wire.length}`;',
    breaks: 'The hooks of one event share an id.',
  },
  {
    name: 'elicitation-cancelled-by-default',
    file: 'src/control/dialogs.ts',
    find: "unhandledElicitation = 'decline'",
    replace: "unhandledElicitation = 'cancel'",
    breaks: 'Without a callback an elicitation is cancelled instead of declined.',
  },
  {
    name: 'signals-survive-the-session',
    file: 'src/control/inbound-router.ts',
    find: "if (!call.isCancelled) call.abort(new AbortError('The session ended', { cause: reason }));",
    replace: 'call.isCancelled = true;',
    breaks: 'Callbacks that are running are not told that the session ended.',
  },
  {
    name: 'hook-timeout-not-announced',
    file: 'src/query/launch/hooks.ts',
    find: '...(isGiven(timeout) ? { timeout } : {}),',
    replace: '',
    breaks: 'The time limit of a hook is not sent.',
  },
  {
    name: 'bad-prompt-hook-result-fails-open',
    file: 'src/control/hooks.ts',
    find: "return success({ decision: 'block', reason: message });",
    replace: 'return success({});',
    breaks: 'A UserPromptSubmit hook that gave something else lets the prompt through.',
  },
];
