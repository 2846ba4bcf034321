import { InvalidOptionError } from '../errors.js';
import { ignoreRejection } from '../util/deferred.js';
import type { McpServerLike } from './mcp-server-config.js';
import { type PeerSink, SharedTransport } from './shared-transport.js';

/** One query's hold on an instance. */
export interface InstanceLease {
  readonly transport: SharedTransport;
  /** Rejects with an {@link InvalidOptionError} when the instance cannot be used. */
  readonly ready: Promise<void>;
  /** The last one to leave disconnects the instance, which can then be used anywhere again. */
  release(): Promise<void>;
}

interface Shared {
  readonly transport: SharedTransport;
  readonly ready: Promise<void>;
}

const connected = new WeakMap<McpServerLike, Shared>();

/**
 * Joins the query to the instance's shared transport, connecting the instance when it is the first.
 * With the MCP SDK the connection stands when this returns.
 */
export function leaseInstance(
  instance: McpServerLike,
  name: string,
  sink: PeerSink,
): InstanceLease {
  let shared = connected.get(instance);
  if (shared === undefined || shared.transport.isClosed) {
    shared = connect(instance, name);
    connected.set(instance, shared);
  }
  const { transport, ready } = shared;
  transport.attach(sink);
  return {
    transport,
    ready,
    release: async () => {
      transport.detach(sink);
      if (transport.isUnused) await transport.close();
    },
  };
}

function connect(instance: McpServerLike, name: string): Shared {
  const transport = new SharedTransport();
  const ready = connectTo(instance, transport, name);
  ignoreRejection(ready);
  return { transport, ready };
}

async function connectTo(
  instance: McpServerLike,
  transport: SharedTransport,
  name: string,
): Promise<void> {
  try {
    if (transportOf(instance) !== undefined) throw new Error('Already connected to a transport');
    // The parameter is `never` so that every version's own `Transport` fits; ours has its shape.
    await instance.connect(transport as never);
  } catch (cause) {
    await transport.close();
    throw new InvalidOptionError(
      'mcpServers',
      `MCP server "${name}" cannot be used: its instance could not be connected`,
      {
        cause,
        hint: 'An MCP SDK server takes one transport: close() the other connection, or make an instance for each place.',
      },
    );
  }
}

/** `McpServer` wraps the `Server` that has the transport. Old versions replace a transport without a word. */
function transportOf(instance: McpServerLike): unknown {
  const { server = instance } = instance as { readonly server?: unknown };
  return (server as { readonly transport?: unknown }).transport;
}
