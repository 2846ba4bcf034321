/**
 * Runs one scenario of the version table through a TypeScript SDK (the official one or claudewire, which take the same options) and
 * prints what a program sees of it, as one line of JSON.
 *
 *   node session.mjs ENTRY SCENARIO CLI
 *
 * Nothing is judged here: `src/sdk-table/sdk-scenarios.ts` knows what is right.
 */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [entry, scenario, cli] = process.argv.slice(2);
const sdk = await import(pathToFileURL(entry).href);
const seen = { results: [], asked: [], hooks: [], toolCalls: [], sessionIds: [], error: null };
const base = { pathToClaudeCodeExecutable: cli, cwd: process.cwd() };

try {
  await SCENARIOS()[scenario]();
} catch (error) {
  seen.error = `${error?.name ?? 'Error'}: ${String(error?.message ?? error).slice(0, 300)}`;
}
process.stdout.write(`${JSON.stringify({ observed: seen })}\n`, () => process.exit(0));

function SCENARIOS() {
  return {
    text: () => turn('Say hello.'),
    allow: () =>
      turn('Make a file.', {
        canUseTool: async (name, input) => {
          seen.asked.push(name);
          return { behavior: 'allow', updatedInput: input };
        },
      }),
    deny: () =>
      turn('Make a file.', {
        canUseTool: async (name) => {
          seen.asked.push(name);
          return { behavior: 'deny', message: 'Not this one.' };
        },
      }),
    hook: () => turn('Make a file.', { hooks: { PreToolUse: [{ hooks: [allowingHook] }] } }),
    mcp: () => turn('Add.', { mcpServers: { calc: calculator() }, allowedTools: ['mcp__calc__add'] }),
    'set-model': () => turns([{ text: 'One.' }, { text: 'Two.', before: (q) => q.setModel('claude-haiku-4-5') }]),
    interrupt: () => turns([{ text: 'Write a lot.', onDelta: (q) => q.interrupt() }], { includePartialMessages: true }),
    resume: async () => {
      await turn('Remember the word heron.');
      await turn('Which word?', { resume: seen.sessionIds[0] });
    },
    'error-400': () => turn('Say hello.'),
    exit: () => turn('Say hello.', { resume: '00000000-0000-4000-8000-000000000000' }),
  };
}

async function allowingHook(input) {
  seen.hooks.push(`${input.hook_event_name}:${input.tool_name}`);
  return { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow' } };
}

/** Each SDK has the zod it was published with. */
function calculator() {
  const { z } = createRequire(entry)('zod');
  const add = sdk.tool('add', 'Adds two numbers.', { a: z.number(), b: z.number() }, async ({ a, b }) => {
    seen.toolCalls.push({ a, b });
    return { content: [{ type: 'text', text: String(a + b) }] };
  });
  return sdk.createSdkMcpServer({ name: 'calc', version: '1.0.0', tools: [add] });
}

/** Callbacks need streaming input in the oldest releases, so that is what all of them get. */
function turn(text, options = {}) {
  const needsStream = Object.keys(options).some((name) => name !== 'resume');
  return needsStream
    ? turns([{ text }], options)
    : consume(sdk.query({ prompt: text, options: { ...base, ...options } }));
}

async function turns(steps, options = {}) {
  let next = () => {};
  let isOver = new Promise((resolve) => {
    next = resolve;
  });
  async function* prompt() {
    for (const { text, before } of steps) {
      await before?.(q);
      yield { type: 'user', message: { role: 'user', content: text }, parent_tool_use_id: null, session_id: '' };
      await isOver;
      isOver = new Promise((resolve) => {
        next = resolve;
      });
    }
  }
  const q = sdk.query({ prompt: prompt(), options: { ...base, ...options } });
  await consume(q, { onResult: () => next(), onDelta: steps[0].onDelta });
}

async function consume(q, { onResult, onDelta } = {}) {
  let wasTold = false;
  for await (const message of q) {
    if (message.type === 'stream_event' && message.event.type === 'content_block_delta' && !wasTold) {
      wasTold = true;
      await onDelta?.(q);
    }
    if (message.type !== 'result') continue;
    seen.results.push({ subtype: message.subtype, isError: message.is_error, text: message.result ?? null });
    seen.sessionIds.push(message.session_id);
    onResult?.();
  }
}
