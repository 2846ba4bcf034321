import type { SdkMcpServerInstance } from './mcp-server-config.js';
import { PreparedTools } from './prepared-tools.js';
import type { ServerInfo } from './server-info.js';

/**
 * What `createSdkMcpServer` made: the table that answers, and the MCP SDK instance that takes over for good
 * once somebody has read it. From that moment more may be registered on it than the table knows.
 */
export class ServerDefinition {
  readonly info: ServerInfo;
  readonly prepared: PreparedTools;
  readonly #build: (definition: ServerDefinition) => SdkMcpServerInstance;
  readonly #watchers = new Set<(instance: SdkMcpServerInstance) => void>();
  #instance: SdkMcpServerInstance | undefined;

  constructor(info: ServerInfo, build: (definition: ServerDefinition) => SdkMcpServerInstance) {
    this.info = info;
    this.prepared = new PreparedTools(info);
    this.#build = build;
  }

  /** The instance if somebody has read it. */
  get existingInstance(): SdkMcpServerInstance | undefined {
    return this.#instance;
  }

  /** Builds the instance at the first call and tells the running queries. */
  readInstance(): SdkMcpServerInstance {
    if (this.#instance === undefined) {
      this.#instance = this.#build(this);
      for (const watcher of this.#watchers) watcher(this.#instance);
      this.#watchers.clear();
    }
    return this.#instance;
  }

  /** Calls back at most once, when the instance is built. Returns what ends the watch. */
  watchInstance(watcher: (instance: SdkMcpServerInstance) => void): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }
}

const definitions = new WeakMap<object, ServerDefinition>();

export function rememberDefinition(config: object, definition: ServerDefinition): void {
  definitions.set(config, definition);
}

/** The definition behind a configuration whose `instance` is still ours, `undefined` for one with a foreign instance. */
export function definitionOf(config: object): ServerDefinition | undefined {
  const instance = Object.getOwnPropertyDescriptor(config, 'instance');
  return instance?.get === undefined ? undefined : definitions.get(config);
}
