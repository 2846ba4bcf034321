import { serve, Unsupported } from '../kit/driver-kit.mjs';
import { materialise } from './materialise.mjs';
import { PromptQueue } from './prompt-queue.mjs';

/** The features that say which of two good ways an SDK goes: those of the official TypeScript surface. */
export const WAYS =
  `query:native query:methods query:close messages:frames environment:replaced environment:node system-prompt:initialize
  prompt:blocks initialize initialize:pipelined answer:tool-use-id agents:initialize environment:version
  messages:ids messages:figures answers:shown callback:tool-use-id callback:unknown-fields callback:permission-context
  error:kinds mcp:server-version mcp:annotations mcp:protocol-versions hooks:throws hooks:raw hooks:unknown-event
  can_use_tool:throws can_use_tool:raw elicitation:throws`.split(/\s+/);

/**
 * Serves as the driver of an SDK with the official TypeScript surface.
 *
 * @param {object} hello - `driver`, `sdk`, `version`, `language`, `features`.
 * @param {object} sdk
 * @param {(params: object) => AsyncIterable<object>} [sdk.query] - Without it, the kit maps queries onto the client.
 * @param {(options: object) => object} [sdk.makeClient] - `connect`, `query`, `receiveMessages`, `disconnect`.
 * @param {Record<string, string>} [sdk.clientNames] - Names of `call` methods that differ on the client.
 * @param {(name: string, version: string | undefined, tools: object[]) => unknown} sdk.makeServer - Makes what stands in
 *   `mcpServers`. A tool has `name`, `description`, `inputSchema` (JSON Schema), `handler(args, extra)` and extras.
 * @param {Record<string, Function>} sdk.functions - The session functions, by name.
 * @param {(error: Error) => { kind: string }} sdk.classify - See the kit's `Port`.
 */
export function serveTypeScriptSdk(hello, sdk) {
  return serve({
    hello,
    hasQuery: sdk.query !== undefined,
    session(start) {
      if (start.mode === 'text') throw new Unsupported('a prompt that is given as text');
      if (start.mode === 'query') return querySession(start, sdk);
      if (sdk.makeClient === undefined) throw new Unsupported('the SDK has no client');
      return clientSession(start, sdk);
    },
    sessions(name, args, run) {
      if (typeof sdk.functions[name] !== 'function') throw new Unsupported(`function ${name}`);
      return sdk.functions[name](...materialise(args, run));
    },
    classify: sdk.classify,
  });
}

function querySession(start, sdk) {
  const { materials, abortController, prompt, options } = partsOf(start, sdk);
  const session = sdk.query({ prompt: start.streams ? prompt : start.prompt, options });
  const iterator = session[Symbol.asyncIterator]();
  return {
    send: (content, fields) => prompt.push(userMessage(content, fields)),
    receive: () => iterator.next(),
    call: (method, args) => callOf(session, method, method, args, materials),
    endInput: () => prompt.end(),
    leave: () => iterator.return?.(),
    disconnect: () => session.close(),
    abort: () => abortController.abort(),
    release: () => prompt.abandon(),
  };
}

function clientSession(start, sdk) {
  const { materials, abortController, prompt, options } = partsOf(start, sdk);
  const client = sdk.makeClient(options);
  let iterator;
  return {
    async connect() {
      await client.connect(start.streams ? prompt : start.prompt);
      iterator = client.receiveMessages();
    },
    send(content, fields) {
      if (start.streams) return prompt.push(userMessage(content, fields));
      if (typeof content === 'string' && fields === undefined) return client.query(content);
      return client.query(oneOf(userMessage(content, fields)));
    },
    receive: () => iterator.next(),
    ...(start.streams ? { endInput: () => prompt.end() } : {}),
    call: (method, args) => callOf(client, sdk.clientNames?.[method] ?? method, method, args, materials),
    disconnect: () => client.disconnect(),
    abort: () => abortController.abort(),
    release: () => prompt.abandon(),
  };
}

function partsOf({ options, cli, cwd, callbacks, onStderr, stores }, { makeServer }) {
  const materials = { callbacks, stores, makeServer, onStderr };
  const abortController = new AbortController();
  const given = materialise(options, materials);
  return {
    materials,
    abortController,
    prompt: new PromptQueue(),
    options: {
      cwd,
      pathToClaudeCodeExecutable: cli,
      abortController,
      ...given,
      // It replaces the environment, and without a PATH no `node` is found for the CLI.
      ...(given.env === undefined ? {} : { env: { PATH: process.env.PATH, ...given.env } }),
    },
  };
}

function callOf(target, name, method, args, materials) {
  if (typeof target[name] !== 'function') throw new Unsupported(`method ${method}`);
  return target[name](...args.map((value) => materialise(value, materials, [method])));
}

function userMessage(content, fields) {
  return { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null, ...fields };
}

async function* oneOf(message) {
  yield message;
}
