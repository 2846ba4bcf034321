/** What `claudewire view` loads: bundled into the main package as `dist/viewer.js`. */

export { ViewError } from '../errors.js';
export { runView, type ViewArguments, type ViewHost } from './run-view.js';
