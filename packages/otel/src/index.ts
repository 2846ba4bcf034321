/** The entry point `claudewire-otel`. */

export { CONVENTIONS_VERSION } from './conventions.js';
export { type Instrumentation, instrumentClaudewire } from './instrument.js';
export type { ContentKind, InstrumentOptions } from './options.js';
