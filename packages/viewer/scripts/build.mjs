/** Builds the package into `dist/`: the page as one HTML file beside the compiled code. */
import { buildPage } from './build-page.mjs';

const file = await buildPage(process.argv[2]);
console.error(`built ${file}`);
