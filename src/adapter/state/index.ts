/** The state toolkit: sessions, slices and events. All of it is public. */

export * from './event-bus.js';
export {
  PromptExecuted,
  PromptRendered,
  type TelemetryEvent,
  type TelemetryFields,
  type ToolDescription,
  ToolInvoked,
} from './events.js';
export { type Constructor, defineEvent, defineSlice, type EventKey, type SliceKey, type Token } from './keys.js';
export { append, appendAll, type PlainReducer, replaceLatest, replaceLatestBy, upsertBy } from './reducers.js';
export * from './session.js';
export * from './slices.js';
export * from './snapshot.js';
