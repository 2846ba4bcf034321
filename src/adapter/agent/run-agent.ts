import { AdapterConfigError } from '../errors/config-errors.js';
import type { AdapterRegistry } from './adapter-registry.js';
import type { AgentEvent } from './agent-event.js';
import type { AgentOptions } from './agent-types.js';
import { supervisedRun } from './supervised-run.js';

/**
 * Runs a registered agent. The stream never throws: whatever the adapter does wrong becomes an `error` event
 * (`ADAPTER_ERROR`, `MISSING_DONE`), exactly one `done` comes, and nothing after it. After an abort the adapter has 500 ms
 * to end by itself.
 *
 * @throws AdapterConfigError at once: there is no such agent.
 */
export function runAgent(
  agent: string,
  prompt: string,
  options: AgentOptions | undefined,
  registry: AdapterRegistry,
): AsyncGenerator<AgentEvent, void, void> {
  const adapter = registry.get(agent);
  if (adapter === undefined) {
    const known = registry.list().join(', ') || 'none';
    throw new AdapterConfigError(`There is no agent named ${agent}; registered: ${known}`, [
      'agent',
    ]);
  }
  return supervisedRun(adapter, prompt, options ?? {});
}
