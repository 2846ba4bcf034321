/** What the adapter itself also needs of the prompt toolkit. */

export { TextSection } from './section.js';
