import { readFileSync } from 'node:fs';
import { isJsonObject, type JsonObject, parseJsonObject } from '../../../src/util/json.js';

/** The answer to `get_settings` in a recording of the real CLI, and what the `--settings` file of that run held. */
export function recordedSettings(name: string): { readonly answer: JsonObject; readonly written: JsonObject } {
  const file = new URL(`../../fixtures/recordings/${name}.jsonl`, import.meta.url);
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const data = parseJsonObject(line)?.data;
    const response = isJsonObject(data) ? data.response : undefined;
    const answer = isJsonObject(response) ? response.response : undefined;
    if (!isJsonObject(answer) || !isJsonObject(answer.effective)) continue;
    const sources = answer.sources as { source: string; settings: JsonObject }[];
    const ours = sources.find(({ source }) => source === 'flagSettings');
    return { answer, written: ours?.settings ?? {} };
  }
  throw new Error(`${name} has no answer to get_settings`);
}
