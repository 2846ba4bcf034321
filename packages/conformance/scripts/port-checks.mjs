/**
 * What a port does on the real CLI, one question each: the evidence behind a published failure. A question drives the
 * port's conformance driver, as a scenario does, and tells facts; nothing is judged here.
 *
 * `at` is the stage of `port-stage.mjs`: `start`, `call`, `send`, `close`, `over`, `kill`, and what was seen.
 */
import { ANSWERS } from './port-checks-answers.mjs';
import { LINES } from './port-checks-lines.mjs';
import { MOMENTS } from './port-checks-moments.mjs';

const text = (given) => given;
const bash = (command, description) => ({
  blocks: [{ type: 'tool_use', name: 'Bash', input: { command, description } }],
});
const TOUCH = bash('touch made.txt', 'Make a file');
const ECHO = bash('echo out', 'Print a word');
const ADD = { blocks: [{ type: 'tool_use', name: 'mcp__calc__add', input: { a: 1, b: 2 } }] };
const prompt = 'Go.';

const ask = (...returns) => ({ options: { canUseTool: { $callback: 'ask' } }, callbacks: { ask: { returns } } });
const hook = (event, ...returns) => ({
  options: { hooks: { [event]: [{ hooks: [{ $callback: 'hook' }] }] }, allowedTools: ['Bash'] },
  callbacks: { hook: { returns } },
});
const DENY_BY_HOOK = {
  hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: 'not here' },
};
const schema = { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } } };
const calc = (spec) => ({
  options: {
    allowedTools: ['mcp__calc__add'],
    mcpServers: {
      calc: {
        $server: {
          version: '1.0.0',
          tools: [{ name: 'add', description: 'Adds.', inputSchema: schema, handler: { $callback: 'add' } }],
        },
      },
    },
  },
  callbacks: { add: spec },
});
const client = (more = {}) => ({ mode: 'client', ...more });
const query = (more = {}) => ({ mode: 'query', prompt, ...more });

/** @typedef {Record<string, { about: string, turns: unknown[], play: (at: import('./port-stage.mjs').Stage) => Promise<void> }>} Checks */
/** @type {Checks} */
export const CHECKS = {
  hello: {
    about: 'A prompt, and an answer of one text.',
    turns: [text('Hello.')],
    play: async (at) => {
      await at.start(query());
      await at.over();
      at.tellMessages();
    },
  },
  'permission-allow': {
    about: 'The model calls Bash, and the permission callback allows it.',
    turns: [TOUCH, text('Done.')],
    play: async (at) => {
      await at.start(query(ask({ behavior: 'allow' })));
      await at.over();
      at.tellCalls('ask');
      at.tellFile('made.txt');
      at.tellDenials();
    },
  },
  'permission-deny': {
    about: 'The model calls Bash, and the permission callback denies it.',
    turns: [TOUCH, text('Done.')],
    play: async (at) => {
      await at.start(query(ask({ behavior: 'deny', message: 'not today' })));
      await at.over();
      at.tellCalls('ask');
      at.tellFile('made.txt');
      at.tellAnswerToModel('not today');
    },
  },
  'refused-mode': {
    about:
      'A client asks for the mode bypassPermissions, which the CLI refuses to a session that was not started for it.',
    turns: [text('Hello.')],
    play: async (at) => {
      await at.start(client(hook('Stop', {})));
      await at.call('setPermissionMode', 'bypassPermissions');
    },
  },
  'no-callbacks-methods': {
    about:
      'A client without hooks, callbacks and servers interrupts a turn whose model does not answer, after two seconds.',
    turns: [{ hang: true }],
    play: async (at) => {
      await at.start(client());
      await at.send(prompt);
      await at.pause(2000);
      await at.call('interrupt');
      await at.over(8000);
      at.tellMessages();
      await at.call('setModel', 'claude-haiku-4-5');
    },
  },
  'cli-refuses-to-start': {
    about: 'The settings file that the caller names does not exist: the CLI leaves with 1 before it reads anything.',
    turns: [],
    play: async (at) => {
      await at.start(query({ options: { settings: '/no/such/settings.json' } }));
      await at.over(8000);
    },
  },
  'resume-missing': {
    about: 'A session that does not exist is resumed: an error result, then exit code 1.',
    turns: [],
    play: async (at) => {
      await at.start(query({ options: { resume: '11111111-2222-4333-8444-555555555555' } }));
      await at.over(12_000);
      at.tellMessages();
    },
  },
  'killed-in-turn': {
    about: 'The CLI is killed with SIGKILL while the model has not answered.',
    turns: [{ hang: true }],
    play: async (at) => {
      await at.start(query());
      await at.pause(3000);
      at.killCli('SIGKILL');
      await at.over(10_000);
    },
  },
  'hook-allow': {
    about: 'The model calls Bash; a PreToolUse hook has no opinion.',
    turns: [ECHO, text('Done.')],
    play: async (at) => {
      await at.start(query(hook('PreToolUse', {})));
      await at.over();
      at.tellCalls('hook');
      at.tellAnswerToModel('out');
    },
  },
  'hook-deny': {
    about: 'The model calls Bash, and a PreToolUse hook denies it.',
    turns: [TOUCH, text('Done.')],
    play: async (at) => {
      await at.start(query(hook('PreToolUse', DENY_BY_HOOK)));
      await at.over();
      at.tellCalls('hook');
      at.tellFile('made.txt');
      at.tellAnswerToModel('not here');
    },
  },
  'mcp-call': {
    about: 'The model calls a tool of an in-process server.',
    turns: [ADD, text('Done.')],
    play: async (at) => {
      await at.start(query(calc({ returns: [{ content: [{ type: 'text', text: 'three' }] }] })));
      await at.over();
      at.tellCalls('add');
      at.tellAnswerToModel('three');
    },
  },
  'mcp-throws': {
    about: 'The handler of an in-process tool fails.',
    turns: [ADD, text('Done.')],
    play: async (at) => {
      await at.start(query(calc({ throws: 'broken inside' })));
      await at.over(15_000);
      at.tellCalls('add');
      at.tellAnswerToModel('broken inside');
    },
  },
  'tool-results': {
    about: 'The model calls Bash, which is allowed: the CLI writes the result of the tool as a `user` frame.',
    turns: [ECHO, text('Done.')],
    play: async (at) => {
      await at.start(query({ options: { allowedTools: ['Bash'] } }));
      await at.over();
      at.tellMessages();
    },
  },
  'init-fields': {
    about: 'What the user sees of `system/init`.',
    turns: [text('Hello.')],
    play: async (at) => {
      await at.start(query());
      await at.over();
      at.tellFields('system', ['session_id', 'model', 'tools', 'cwd']);
      at.tellFields('result', ['session_id', 'result', 'is_error', 'stop_reason', 'permission_denials']);
    },
  },
  'result-of-a-failure': {
    about: 'The API refuses the request with 400: the CLI gives a result whose `is_error` is true, and exit code 1.',
    turns: [{ error: { status: 400, message: 'no credit' } }],
    play: async (at) => {
      await at.start(query());
      await at.over(20_000);
      at.tellMessages();
    },
  },
  'close-and-resume': {
    about: 'A turn is run and the session closed; then the transcript is looked at.',
    turns: [text('Remember the word heron.')],
    play: async (at) => {
      await at.start(query());
      await at.over();
      await at.finish();
      at.tellTranscript('heron');
    },
  },
  'many-partials': {
    about: 'Partial messages of a text in 5,000 pieces.',
    turns: [{ text: 'x'.repeat(20_000), chunkSize: 4 }],
    play: async (at) => {
      await at.start(query({ options: { includePartialMessages: true } }));
      await at.over();
      at.tellCount('stream_event');
    },
  },
  'question-without-callback': {
    about: 'The caller adds `--permission-prompt-tool stdio` without a callback, beside a hook; the model calls Bash.',
    turns: [TOUCH, 'Done.'],
    play: async (at) => {
      const { options, callbacks } = hook('Stop', {});
      await at.start(query({ options: { hooks: options.hooks, permissionPromptToolName: 'stdio' }, callbacks }));
      await at.over(12_000);
      at.tellMessages();
    },
  },
  'session-id': {
    about: 'A session id is asked for.',
    turns: ['Hello.'],
    play: async (at) => {
      const id = '11111111-2222-4333-8444-555555555555';
      await at.start(query({ options: { sessionId: id } }));
      await at.over();
      at.tellSessionId(id);
    },
  },
  'thinking-disabled': {
    about: 'Thinking is switched off with `thinking`.',
    turns: ['Hello.'],
    play: async (at) => {
      await at.start(query({ options: { thinking: { type: 'disabled' } } }));
      await at.over();
      at.tellRequest('thinking');
    },
  },
  'updated-permissions': {
    about: 'The permission callback allows Bash for the session; the model calls it a second time.',
    turns: [TOUCH, TOUCH, 'Done.'],
    play: async (at) => {
      const rules = [{ toolName: 'Bash' }];
      const update = { type: 'addRules', rules, behavior: 'allow', destination: 'session' };
      const { options, callbacks } = ask({ behavior: 'allow', updatedPermissions: [update] });
      await at.start(query({ options: { ...options, permissionPromptToolName: 'stdio' }, callbacks }));
      await at.over();
      at.tellCalls('ask');
      at.tellAnswerToModel('');
    },
  },
  'session-end-hook': {
    about: 'The settings have a SessionEnd hook that makes a file; a turn is run and the session closed.',
    turns: ['Hello.'],
    play: async (at) => {
      const hooks = { SessionEnd: [{ hooks: [{ type: 'command', command: 'touch ended.txt' }] }] };
      await at.start(query({ options: { settings: { hooks } } }));
      await at.over();
      await at.finish();
      await at.pause(2000);
      at.tellFile('ended.txt');
    },
  },
  'limit-over-turns': {
    about: 'A limit of 100,000 bytes for one line; five turns whose lines are all below 30,000.',
    turns: [{ text: 'x'.repeat(20_000), chunkSize: 5000, times: 8 }],
    play: async (at) => {
      await at.start(client({ options: { maxBufferBytes: 100_000 } }));
      for (let turn = 0; turn < 5; turn += 1) {
        await at.send(prompt);
        await at.results(turn + 1, 8000);
      }
      at.tellMessages();
    },
  },
  'environment-of-the-user': {
    about: 'The user sets CLAUDE_CODE_ENTRYPOINT; a Bash of the session prints it.',
    turns: [bash('echo "entry=$CLAUDE_CODE_ENTRYPOINT"', 'Print a variable'), text('Done.')],
    play: async (at) => {
      await at.start(query({ options: { env: { CLAUDE_CODE_ENTRYPOINT: 'my-app' }, allowedTools: ['Bash'] } }));
      await at.over();
      at.tellAnswerToModel('entry=');
    },
  },
  'redacted-thinking': {
    about: 'The model answers with a block of redacted thinking and a text.',
    turns: [
      {
        blocks: [
          { type: 'redacted_thinking', data: 'abcd' },
          { type: 'text', text: 'Hello.' },
        ],
      },
    ],
    play: async (at) => {
      await at.start(query());
      await at.over(10_000);
      at.tellMessages();
    },
  },
  clear: {
    about: 'A client sends `/clear`, which the CLI answers with `conversation_reset` among others.',
    turns: [text('Hello.')],
    play: async (at) => {
      await at.start(client());
      await at.send('/clear');
      await at.over(5000);
      at.tellMessages();
    },
  },
  'asked-by-flag': {
    about: 'The caller adds `--permission-prompt-tool stdio`, so that the CLI asks; the permission callback allows.',
    turns: [TOUCH, text('Done.')],
    play: async (at) => {
      const { options, callbacks } = ask({ behavior: 'allow' });
      await at.start(query({ options: { ...options, permissionPromptToolName: 'stdio' }, callbacks }));
      await at.over(12_000);
      at.tellCalls('ask');
      at.tellFile('made.txt');
    },
  },
  'hook-wrong-decision': {
    about: 'A PreToolUse hook gives a decision that does not exist.',
    turns: [TOUCH, text('Done.')],
    play: async (at) => {
      const decision = { hookEventName: 'PreToolUse', permissionDecision: 'perhaps' };
      await at.start(query(hook('PreToolUse', { hookSpecificOutput: decision })));
      await at.over();
      at.tellCalls('hook');
      at.tellFile('made.txt');
    },
  },
  'thinking-zero': {
    about: 'A limit of 0 thinking tokens.',
    turns: [text('Hello.')],
    play: async (at) => {
      await at.start(query({ options: { maxThinkingTokens: 0 } }));
      await at.over();
      at.tellRequest('thinking');
    },
  },
  'no-system-prompt': {
    about: 'No system prompt is given.',
    turns: [text('Hello.')],
    play: async (at) => {
      await at.start(query());
      await at.over();
      at.tellSystemPrompt();
    },
  },
  'mcp-image': {
    about: 'A tool of an in-process server gives an image.',
    turns: [ADD, text('Done.')],
    play: async (at) => {
      const data = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
      await at.start(query(calc({ returns: [{ content: [{ type: 'image', data, mimeType: 'image/png' }] }] })));
      await at.over();
      at.tellCalls('add');
      at.tellAnswerToModel('image');
    },
  },
  'mcp-bad-arguments': {
    about: 'The model calls a tool of an in-process server with a text where the schema has a number.',
    turns: [{ blocks: [{ type: 'tool_use', name: 'mcp__calc__add', input: { a: 'one' } }] }, text('Done.')],
    play: async (at) => {
      await at.start(query(calc({ returns: [{ content: [{ type: 'text', text: 'three' }] }] })));
      await at.over();
      at.tellCalls('add');
      at.tellAnswerToModel('three');
    },
  },
  'close-in-a-turn': {
    about: 'A client is closed while the model has not answered.',
    turns: [{ hang: true }],
    play: async (at) => {
      await at.start(client());
      await at.send(prompt);
      await at.pause(2500);
      await at.close();
    },
  },
  'close-while-a-command-runs': {
    about: 'A client is closed while Bash runs a command that makes a file after six seconds.',
    turns: [bash('sleep 6; touch late.txt', 'Wait and make a file'), text('Done.')],
    play: async (at) => {
      await at.start(client({ options: { allowedTools: ['Bash'] } }));
      await at.send(prompt);
      await at.pause(4000);
      await at.close();
      await at.pause(7000);
      at.tellFile('late.txt');
    },
  },
  'terminated-in-turn': {
    about: 'The CLI is sent SIGTERM while the model has not answered: it leaves with 143.',
    turns: [{ hang: true }],
    play: async (at) => {
      await at.start(query());
      await at.pause(3000);
      at.killCli('SIGTERM');
      await at.over(10_000);
    },
  },
  'several-directories': {
    about: 'Two further directories are given.',
    turns: [text('Hello.')],
    play: async (at) => {
      await at.start(query({ options: { additionalDirectories: ['/usr', '/opt'] } }));
      await at.over();
      at.tellMessages();
    },
  },
  'one-message-two-results': {
    about: 'Two messages are sent at once: the CLI makes one turn of both.',
    turns: [{ text: 'Hello.', firstTokenMs: 500, times: 4 }],
    play: async (at) => {
      await at.start(client());
      await at.send('One.');
      await at.send('Two.');
      await at.over(6000);
      at.tellMessages();
    },
  },
  ...LINES,
  ...MOMENTS,
  ...ANSWERS,
};
