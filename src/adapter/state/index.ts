/** The state toolkit: sessions, slices and events. Other folders import from here, not from the files inside. */

export {
  type EventBus,
  type EventBusOptions,
  type EventHandler,
  type HandlerFailure,
  InProcessEventBus,
  PublishResult,
} from './event-bus.js';
export {
  createPromptExecuted,
  createPromptRendered,
  createToolInvoked,
  PromptExecuted,
  PromptRendered,
  type TelemetryEvent,
  type TelemetryFields,
  type ToolDescription,
  ToolInvoked,
} from './events.js';
export {
  type Constructor,
  defineEvent,
  defineSlice,
  type EventKey,
  type SliceKey,
  type Token,
} from './keys.js';
export {
  append,
  appendAll,
  type PlainReducer,
  replaceLatest,
  replaceLatestBy,
  upsertBy,
} from './reducers.js';
export {
  latestReducer,
  type Reducer,
  type ReducerContext,
  Session,
  type SessionMutation,
  type SessionOptions,
  type SliceMutation,
  type SliceQuery,
  type Subscription,
} from './session.js';
export {
  ClearAllVisibilityOverrides,
  ClearVisibilityOverride,
  FileModified,
  type ModifiedFile,
  ModifiedFiles,
  Notification,
  Plan,
  type PlanStep,
  PlanUpdated,
  SetVisibilityOverride,
  type Todo,
  ToolPermissions,
  VisibilityOverrides,
  Workspace,
} from './slices.js';
export { SessionSnapshot, type SnapshotJson } from './snapshot.js';
