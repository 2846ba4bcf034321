import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const DECLARED = /^export (?:declare )?(?:abstract )?(type|interface|class|function|const|let) (\w+)/gm;
const LISTED = /^export (type )?\{([^}]*)\}/gm;
const STAR = /^export (type )?\* from ['"]\.\/([^'"]+)\.js['"]/gm;

/**
 * What one declaration file exports, in the order it is written.
 *
 * @param {string} file
 * @returns {Map<string, 'type' | 'value' | 'class'>} `value` for functions and constants. A name that another file of the
 * package defines has that file's kind, or `type` under `export type`.
 */
export function exportedNames(file) {
  const text = readFileSync(file, 'utf8');
  const names = new Map();
  for (const [, kind, name] of text.matchAll(DECLARED)) names.set(name, kindOf(kind));
  for (const [, isType, from] of text.matchAll(STAR)) {
    for (const [name, kind] of exportedNames(join(dirname(file), `${from}.d.ts`))) {
      if (isType === undefined) names.set(name, kind);
      else if (kind !== 'value' && !names.has(name)) names.set(name, 'type');
    }
  }
  for (const [, isType, list] of text.matchAll(LISTED)) {
    for (const name of list.split(',').map((each) => each.trim())) {
      if (name === '') continue;
      // A class is named as a value too where it is listed without `type`.
      const isClass = /^[A-Z][a-z]/.test(name);
      names.set(name, isType !== undefined ? 'type' : isClass ? 'class' : 'value');
    }
  }
  return names;
}

function kindOf(keyword) {
  if (keyword === 'type' || keyword === 'interface') return 'type';
  return keyword === 'class' ? 'class' : 'value';
}
