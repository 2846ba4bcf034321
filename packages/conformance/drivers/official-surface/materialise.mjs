import { MemoryStore } from './memory-store.mjs';

/**
 * Replaces what JSON cannot hold in the options of a TypeScript SDK: `{"$callback": NAME}` by a function,
 * `{"$server": …}` by an in-process MCP server, `{"$store": NAME}` by a session store.
 *
 * @param {unknown} value - Options, or the arguments of a method or session function.
 * @param {object} run
 * @param {import('../kit/driver-kit.mjs').Callbacks} run.callbacks
 * @param {Map<string, MemoryStore>} run.stores - Stores by name; one name is one store until `finish`.
 * @param {(name: string, version: string | undefined, tools: object[]) => unknown} run.makeServer
 * @param {(text: string) => void} run.onStderr
 */
export function materialise(value, run, path = []) {
  if (Array.isArray(value)) return value.map((each) => materialise(each, run, [...path, '*']));
  if (typeof value !== 'object' || value === null) return value;
  if ('$callback' in value) return callbackAt(path[0], value.$callback, run);
  if ('$server' in value) return serverOf(path.at(-1) ?? 'server', value.$server, run);
  if ('$store' in value) return storeOf(value, run);
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, materialise(each, run, [...path, key])]));
}

function callbackAt(option, name, { callbacks, onStderr }) {
  switch (option) {
    case 'canUseTool':
      return (tool, input, { signal, ...asked }) => callbacks.call(name, permissionRequest(tool, input, asked), signal);
    case 'stderr':
      return onStderr;
    case 'onElicitation':
    case 'onUserDialog':
      return (request, { signal }) => callbacks.call(name, onTheWire(request), signal);
    default:
      return (input, toolUseId, { signal } = {}) =>
        callbacks.call(name, input, signal, toolUseId === undefined ? {} : { tool_use_id: toolUseId });
  }
}

const WIRE_NAMES = { toolUseID: 'tool_use_id', agentID: 'agent_id', serverName: 'mcp_server_name' };

/** Fields under the names they have on the wire; what is not given is left out. */
function onTheWire(fields) {
  return Object.fromEntries(
    Object.entries(fields)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [
        WIRE_NAMES[key] ?? key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
        value,
      ]),
  );
}

function permissionRequest(tool, input, asked) {
  return { tool_name: tool, input, ...onTheWire(asked) };
}

function serverOf(name, { version, tools = [] }, { callbacks, makeServer }) {
  return makeServer(
    name,
    version,
    tools.map(({ handler, ...tool }) => ({
      ...tool,
      handler: (args, extra) => callbacks.call(handler.$callback, args, extra?.signal),
    })),
  );
}

function storeOf({ $store: name, seed, before = {} }, { callbacks, stores }) {
  let store = stores.get(name);
  if (store === undefined) {
    store = new MemoryStore(seed, (method, input) =>
      before[method] === undefined ? undefined : callbacks.call(before[method].$callback, input),
    );
    stores.set(name, store);
  }
  return store;
}
