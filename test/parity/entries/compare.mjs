#!/usr/bin/env node
/**
 * Holds the entries of both packages against each other: run-time names, constants, guards, methods that declarations leave
 * out, and what plain paths do.
 *
 *   node test/parity/entries/compare.mjs OFFICIAL_FOLDER OUR_FOLDER
 *
 * Both folders are package folders (with `package.json`). Last line: `N same, N differ`.
 */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { methodsOf, missingMethods } from './methods.mjs';

const folders = process.argv.slice(2, 4).map((folder) => resolve(folder));
const counts = { same: 0, differ: 0 };

/** Ours besides the official names. */
const load = async (folder, entry) => {
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return await import(pathToFileURL(join(folder, exports[entry].default)).href);
};

function compare(name, theirs, ours) {
  if (isDeepStrictEqual(theirs, ours)) counts.same += 1;
  else {
    counts.differ += 1;
    console.log(`${name}\n  official ${JSON.stringify(theirs)}\n  ours     ${JSON.stringify(ours)}`);
  }
}

const GUARDED = [null, 'x', {}, [], { terminal: true }, { terminal: false }, { terminal: 'x' }, { worker_jwt: 'x' }];
const attempt = (action) => {
  try {
    return action();
  } catch {
    return 'throws';
  }
};

for (const entry of ['.', './core', './extract', './browser', './bridge']) {
  const [theirs, ours] = await Promise.all(folders.map((folder) => load(folder, entry)));
  const missing = Object.keys(theirs).filter((name) => !(name in ours));
  compare(`${entry}: missing names`, [], missing);
  for (const [name, value] of Object.entries(theirs)) {
    compare(`${entry} ${name}: type`, typeof value, typeof ours[name]);
    // A switch of the official browser transport, which does not exist here.
    if (name === 'G4_TEXT_ENVELOPE_ARM_PORTED') continue;
    if (/^[A-Z0-9_]+$/.test(name)) compare(`${entry} ${name}: value`, value, ours[name]);
    if (/^is[A-Z]/.test(name)) {
      for (const given of GUARDED) {
        const theirAnswer = attempt(() => value(given));
        // Theirs asks `in` of a text; ours says false.
        if (theirAnswer === 'throws') continue;
        compare(`${entry} ${name}(${JSON.stringify(given)})`, theirAnswer, ours[name](given));
      }
    }
    if (/^get|SseStream$/.test(name) && entry === './browser') {
      compare(`${entry} ${name}({})`, value({}, {}), ours[name]({}, {}));
    }
    if (name === 'extractFromBunfs') {
      for (const path of ['/a/b', 'a', '', 'C:\\a']) compare(`${name}(${path})`, value(path), ours[name](path));
    }
  }
}
const [theirMethods, ourMethods] = await Promise.all(folders.map(async (folder) => methodsOf(await load(folder, '.'))));
compare('methods at run time', [], missingMethods(theirMethods, ourMethods));
console.log(`${counts.same} same, ${counts.differ} differ`);
process.exit(counts.differ === 0 ? 0 : 1);
