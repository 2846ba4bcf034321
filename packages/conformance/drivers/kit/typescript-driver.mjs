import { Callbacks } from './callbacks.mjs';
import { normalError } from './normal-error.mjs';
import { materialise } from './options.mjs';
import { serve, Unsupported } from './serve.mjs';
import { TypeScriptRun } from './typescript-run.mjs';

/** The features that say which of two good ways an SDK goes: those of the official TypeScript surface. */
export const WAYS =
  `query:methods query:close messages:frames environment:replaced environment:node system-prompt:initialize
  prompt:blocks initialize initialize:pipelined answer:tool-use-id agents:initialize environment:version
  messages:ids messages:figures callback:tool-use-id callback:unknown-fields callback:permission-context
  error:kinds mcp:server-version mcp:annotations mcp:protocol-versions`.split(/\s+/);

/**
 * Serves as the driver of an SDK with the official TypeScript surface.
 *
 * @param {object} hello - `driver`, `sdk`, `version`, `language`, `features`.
 * @param {object} sdk
 * @param {(params: object) => AsyncIterable<object>} sdk.query
 * @param {(options: object) => object} [sdk.makeClient] - `connect`, `query`, `receiveMessages`, `disconnect`.
 * @param {Record<string, string>} [sdk.clientNames] - Names of `call` methods that differ on the client.
 * @param {(name: string, version: string | undefined, tools: object[]) => unknown} sdk.makeServer - Makes what stands in
 *   `mcpServers`. A tool has `name`, `description`, `inputSchema` (JSON Schema), `handler(args, extra)` and extras.
 * @param {Record<string, Function>} sdk.functions - The session functions, by name.
 * @param {(error: Error) => { kind: string }} sdk.classify - See `normalError`.
 */
export function serveTypeScriptSdk(hello, sdk) {
  return serve(hello, (write) => {
    let runs = new Map();
    let stores = new Map();
    const runOf = ({ run = 'main' }) => {
      const found = runs.get(run);
      if (found === undefined) throw new Error(`no run ${run} was started`);
      return found;
    };
    const handlers = {
      async start(command) {
        const { run: name = 'main' } = command;
        const tell = (what, fields) => write({ event: 'observed', run: name, what, ...fields });
        const run = new TypeScriptRun({ command, sdk, stores, tell });
        const previous = runs.get(name);
        runs.set(name, run);
        await previous?.end();
        await run.start();
      },
      send: (command) => runOf(command).send(command),
      end_input: (command) => runOf(command).endInput(),
      call: (command) => runOf(command).call(command),
      pause: (command) => runOf(command).pause(),
      resume: (command) => runOf(command).resume(),
      break: (command) => runOf(command).leave(),
      close: (command) => runOf(command).close(),
      abort: (command) => runOf(command).abort(),
      cue: (command) => runOf(command).cue(command.name),
      sessions({ run = 'main', function: name, args = [], callbacks = {} }) {
        if (name === 'storeEntries') return stores.get(args[0] ?? 'memory')?.held() ?? [];
        if (typeof sdk.functions[name] !== 'function') throw new Unsupported(`function ${name}`);
        const tell = (what, fields) => write({ event: 'observed', run, what, ...fields });
        const materials = { callbacks: new Callbacks(callbacks, tell), stores };
        return sdk.functions[name](...materialise(args, materials));
      },
      async finish() {
        const ending = [...runs.values()];
        runs = new Map();
        stores = new Map();
        // One that ends badly has told so; the others still have to end.
        await Promise.allSettled(ending.map((run) => run.end()));
      },
    };
    return {
      async handle(command) {
        const handler = handlers[command.command];
        if (handler === undefined) throw new Unsupported(`command ${command.command}`);
        return handler(command);
      },
      errorOf: (error) => normalError(error, sdk.classify),
    };
  });
}
