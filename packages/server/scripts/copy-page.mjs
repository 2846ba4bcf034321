/** Copies the page beside the compiled code: the browser gets it as it is. */
import { cpSync, mkdirSync, readdirSync } from 'node:fs';

const from = new URL('../src/page/', import.meta.url);
const to = new URL('../dist/page/', import.meta.url);
mkdirSync(to, { recursive: true });
for (const name of readdirSync(from))
  if (/\.(?:html|css|js)$/.test(name)) cpSync(new URL(name, from), new URL(name, to));
