import {
  type AgentAdapter,
  type AgentEvent,
  type AgentEventOf,
  type AgentOptions,
  type AgentUsage,
  ClaudeCodeAdapter,
  createEvent,
  type DoneEvent,
  isAgentEvent,
  type NamespacedEvent,
  runAgent,
  runParallel,
  type TextEvent,
} from '../../src/adapter/index.js';
import { fits, type Same } from './assignable.js';

/** What the compiler makes of the unified events. Compiled, not run. */

declare const event: AgentEvent;

// A union on `type`: each branch has its payload, and nothing is left over.
switch (event.type) {
  case 'init':
    fits<readonly string[]>(event.payload.tools);
    break;
  case 'text':
    fits<Same<typeof event, TextEvent>>(true);
    fits<string>(event.payload.content);
    break;
  case 'text_delta':
    fits<string>(event.payload.delta);
    break;
  case 'thinking':
    fits<string>(event.payload.summary);
    break;
  case 'tool_use':
    fits<Readonly<Record<string, unknown>>>(event.payload.input);
    break;
  case 'tool_result':
    fits<'success' | 'error' | 'denied'>(event.payload.status);
    break;
  case 'permission_request':
    fits<string>(event.payload.toolUseId);
    break;
  case 'error':
    fits<boolean>(event.payload.recoverable);
    break;
  case 'done':
    fits<AgentUsage>(event.payload.usage);
    fits<Same<typeof event, DoneEvent>>(true);
    break;
  default:
    fits<Same<typeof event, NamespacedEvent>>(true);
    fits<`${string}:${string}`>(event.type);
}

// A payload of another event is no payload of this one.
// @ts-expect-error a text has no delta
createEvent('text', 'mine', { delta: 'x' });
// @ts-expect-error a name without a namespace is no event
createEvent('brand_new', 'mine', {});
fits<TextEvent>(createEvent('text', 'mine', { content: 'x' }));
fits<NamespacedEvent>(createEvent('mine:thing', 'mine', { a: 1 }));
fits<Same<AgentEventOf<'done'>, DoneEvent>>(true);

const unknownValue: unknown = event;
if (isAgentEvent(unknownValue)) fits<AgentEvent>(unknownValue);

// The adapter is one, and its stream gives events.
const adapter: AgentAdapter = new ClaudeCodeAdapter();
fits<AsyncGenerator<AgentEvent, void, void>>(adapter.run('Hi'));
fits<AsyncIterable<AgentEvent>>(runParallel([{ adapter, prompt: 'Hi' }]));
fits<(...args: never[]) => AsyncGenerator<AgentEvent, void, void>>(runAgent);

// Levels are words, and policies have three fields.
const options: AgentOptions = {
  permissions: { fileWrite: 'allow' },
  onPermissionRequest: ({ input }, { signal }) =>
    signal.aborted ? 'deny' : { behavior: 'allow', updatedInput: { ...input } },
};
// @ts-expect-error no such level
options.permissions satisfies { fileWrite?: 'maybe' };
// @ts-expect-error no such field
fits<AgentOptions>({ permissions: { filewrite: 'deny' } });
// @ts-expect-error true is no decision
fits<AgentOptions>({ onPermissionRequest: () => true });
