/** The entry point `claudewire-viewer`: recordings, transcripts and conformance runs as data and as a page. */

export { ViewError } from './errors.js';
export type * from './model/view-data.js';
export { type RenderOptions, renderPage, type ViewSource, viewData } from './render/render-page.js';
export type { BodyLimits } from './source/bodies.js';
