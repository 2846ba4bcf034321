import { describeValue } from '../../util/describe-value.js';
import { AdapterConfigError } from '../errors/config-errors.js';
import type { AgentAdapter } from './agent-types.js';

/** Adapters by name. */
export class AdapterRegistry {
  readonly #adapters = new Map<string, AgentAdapter>();

  /**
   * Adds an adapter under its own name.
   *
   * @throws AdapterConfigError the name is taken, or it is no adapter.
   */
  register(adapter: AgentAdapter): void {
    const { agent } = adapter;
    if (typeof agent !== 'string' || agent === '' || typeof adapter.run !== 'function') {
      throw new AdapterConfigError(
        `\`adapter\` must have a name (\`agent\`) and \`run()\`; got ${describeValue(adapter)}`,
        ['adapter'],
      );
    }
    if (this.#adapters.has(agent)) {
      throw new AdapterConfigError(
        `An adapter named ${agent} is registered already; unregister it first`,
        ['adapter.agent'],
      );
    }
    this.#adapters.set(agent, adapter);
  }

  get(agent: string): AgentAdapter | undefined {
    return this.#adapters.get(agent);
  }

  /** The names, in the order of registration. */
  list(): readonly string[] {
    return [...this.#adapters.keys()];
  }

  /** @returns whether there was one */
  unregister(agent: string): boolean {
    return this.#adapters.delete(agent);
  }
}
