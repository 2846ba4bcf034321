import { AdapterConfigError } from '../errors/config-errors.js';
import { wrongArgument } from '../options/read-fields.js';
import type { AdapterRegistry } from './adapter-registry.js';
import type { AgentEvent } from './agent-event.js';
import type { AgentOptions } from './agent-types.js';
import { supervisedRun } from './supervised-run.js';

/**
 * Runs a registered agent. The stream never throws: whatever the adapter does wrong becomes an `error` event
 * (`ADAPTER_ERROR`, `MISSING_DONE`), exactly one `done` comes, and nothing after it. After an abort the adapter has 500 ms
 * to end by itself.
 *
 * @throws AdapterConfigError at once: there is no such agent, or no registry.
 */
export function runAgent(
  agent: string,
  prompt: string,
  options: AgentOptions | undefined,
  registry: AdapterRegistry,
): AsyncGenerator<AgentEvent, void, void> {
  if (typeof registry?.get !== 'function' || typeof registry.list !== 'function') {
    throw wrongArgument(
      'registry',
      'runAgent() takes an AdapterRegistry as its fourth argument',
      registry,
      'Make one with `new AdapterRegistry()` and register the adapter there.',
    );
  }
  if (typeof agent !== 'string') {
    const cure = 'Pass the `agent` of a registered adapter, such as "claude-code".';
    throw wrongArgument('agent', 'runAgent() takes the name of an agent', agent, cure);
  }
  const adapter = registry.get(agent);
  if (adapter === undefined) {
    const known = registry.list().join(', ') || 'none';
    throw new AdapterConfigError(`There is no agent named ${agent}; registered: ${known}`, [
      'agent',
    ]);
  }
  return supervisedRun(adapter, prompt, options ?? {});
}
