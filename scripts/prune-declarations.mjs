import { existsSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const RELATIVE_IMPORT = /(?:from|import)\s*\(?\s*['"](\.[^'"]+)\.js['"]/g;

/**
 * Removes the declarations that no public entry leads to: nobody can import them, and they are half of
 * what tsc writes.
 *
 * @param {string} outDir
 * @param {readonly string[]} entries - Names of the declarations of the public entries, in `outDir`.
 */
export function pruneDeclarations(outDir, entries) {
  const reachable = new Set();
  for (const entry of entries) follow(join(outDir, entry), reachable);
  for (const entry of readdirSync(outDir, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && entry.name.endsWith('.d.ts') && !reachable.has(path)) rmSync(path);
  }
  removeEmptyFolders(outDir);
}

function follow(file, reachable) {
  if (reachable.has(file)) return;
  if (!existsSync(file)) throw new Error(`a declaration is missing: ${file}`);
  reachable.add(file);
  for (const [, path] of readFileSync(file, 'utf8').matchAll(RELATIVE_IMPORT)) {
    follow(join(dirname(file), `${path}.d.ts`), reachable);
  }
}

function removeEmptyFolders(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    const path = join(folder, entry.name);
    removeEmptyFolders(path);
    if (readdirSync(path).length === 0) rmdirSync(path);
  }
}

/** Indents with tabs: tsc writes four spaces a level, an eighth of the declarations. Nothing else changes. */
export function shrinkDeclarations(outDir) {
  for (const entry of readdirSync(outDir, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.d.ts')) continue;
    const path = join(entry.parentPath, entry.name);
    const text = readFileSync(path, 'utf8');
    writeFileSync(
      path,
      text.replace(/^(?: {4})+/gm, (indent) => '\t'.repeat(indent.length / 4)),
    );
  }
}
