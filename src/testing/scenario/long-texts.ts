import { describeValue } from '../../util/describe-value.js';
import { isJsonObject } from '../../util/json.js';
import { isCount } from './checks.js';

/** In UTF-16 units. Enough for every limit of a line, and far from what a process can hold. */
const MAX_LENGTH = 256 * 1024 * 1024;

/** What is wrong with a `{"$repeat":"ab","times":3}` somewhere in the value, or `undefined`. */
export function longTextProblem(value: unknown): string | undefined {
  const open = [value];
  while (open.length > 0) {
    const each = open.pop();
    if (Array.isArray(each)) for (const entry of each) open.push(entry);
    if (!isJsonObject(each)) continue;
    const { $repeat: text, times } = each;
    if (typeof text === 'string' && typeof times === 'number') {
      if (!isCount(times))
        return `$repeat: expected "times" to be a number from 0, found ${describeValue(times)}`;
      if (text.length * times > MAX_LENGTH) {
        return `$repeat: the text is longer than ${MAX_LENGTH} characters; lower "times"`;
      }
    }
    for (const entry of Object.values(each)) open.push(entry);
  }
  return undefined;
}
