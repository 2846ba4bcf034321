/** What the adapter itself also needs of the state toolkit. */

export { createPromptExecuted, createPromptRendered, createToolInvoked } from './events.js';
