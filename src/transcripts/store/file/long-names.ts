import { basename, join } from 'node:path';
import { readSmallJson } from '../../files/small-json.js';
import { nameFile } from './file-layout.js';
import { writeSmallJson } from './private-text.js';
import { decodeName, encodeName, isHashedName } from './safe-name.js';

const MAX_BYTES = 1_048_576;

/** Keeps the name of a transcript whose file name is a hash, so that listings can tell it. Does nothing for others. */
export function keepLongName(transcript: string, name: string): void {
  if (!isHashedName(basename(transcript))) return;
  const path = nameFile(transcript);
  if (readSmallJson(path, MAX_BYTES) !== name) writeSmallJson(path, name);
}

/** The name behind an encoded one, `undefined` for a file that no store put there. */
export function nameOf(folder: string, encoded: string): string | undefined {
  if (!isHashedName(encoded)) return decodeName(encoded);
  const name = readSmallJson(nameFile(join(folder, `${encoded}.jsonl`)), MAX_BYTES);
  return typeof name === 'string' && encodeName(name) === encoded ? name : undefined;
}
