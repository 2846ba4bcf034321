import { InvalidOptionError, invalidArgument, requireKnown, requireOption } from '../../errors/usage-errors.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import {
  boolean,
  count,
  custom,
  func,
  integerFrom,
  nonEmptyString,
  numberFrom,
  object,
  oneOf,
  recordOf,
  string,
  type Validator,
} from '../../util/validate.js';
import { jsonLoss } from '../script/json-loss.js';

/** Past it a timer of Node fires at once. */
const delay = numberFrom(0, 2 ** 31 - 1);

const STOP_REASONS = [
  ...['end_turn', 'max_tokens', 'stop_sequence', 'tool_use', 'pause_turn', 'refusal', 'compaction'],
  'model_context_window_exceeded',
];

/** The optional fields of turns and blocks. */
const VALUES: Readonly<Record<string, Validator>> = {
  times: custom(
    'a whole number from 1, or Infinity',
    (value) => value === Infinity || (Number.isInteger(value) && Number(value) > 0),
  ),
  when: func,
  delayMs: delay,
  headers: recordOf(string),
  stopReason: oneOf(...STOP_REASONS),
  usage: object,
  model: nonEmptyString,
  firstTokenMs: delay,
  chunkMs: delay,
  holdMs: delay,
  chunkSize: integerFrom(1),
  pings: count,
  truncate: boolean,
  status: custom('a status of HTTP, from 200 to 599', isStatus(200)),
  contentType: nonEmptyString,
  id: nonEmptyString,
  signature: string,
  rawInput: string,
};

/** What an error has. */
const ERROR: Readonly<Record<string, Validator>> = {
  status: custom('the status of an error, from 400 to 599', isStatus(400)),
  type: nonEmptyString,
  message: string,
};

function isStatus(min: number): (value: unknown) => boolean {
  return (value) => Number.isInteger(value) && Number(value) >= min && Number(value) <= 599;
}

const CONTROL = ['times', 'when', 'delayMs', 'headers'];
const SHAPE = [
  ...['stopReason', 'usage', 'model', 'firstTokenMs', 'chunkMs', 'chunkSize', 'holdMs', 'pings', 'truncate'],
  'sseError',
];

/** The field that makes a turn one of its kind, with the others that it may have. */
const KINDS: Readonly<Record<string, readonly string[]>> = {
  text: [...SHAPE, ...CONTROL],
  blocks: [...SHAPE, ...CONTROL],
  error: CONTROL,
  raw: ['status', 'contentType', ...CONTROL],
  hang: CONTROL,
};

/** Content blocks, with the fields that they need and those that they may have. */
const BLOCKS: Readonly<Record<string, readonly [needed: readonly string[], more: readonly string[]]>> = {
  text: [['text'], []],
  thinking: [['thinking'], ['signature']],
  redacted_thinking: [['data'], []],
  tool_use: [
    ['name', 'input'],
    ['id', 'rawInput'],
  ],
};

const CURE = 'A turn is a text, a function, or an object with one of `text`, `blocks`, `error`, `raw`, `hang`.';

/**
 * Checks a turn, so that a misspelt one is not answered with something else.
 * @param name - Where it is: `turns[2]`.
 * @throws InvalidOptionError it is none.
 */
export function checkTurn(turn: unknown, name: string): void {
  if (typeof turn === 'string' || typeof turn === 'function') return;
  const kinds = isJsonObject(turn) ? Object.keys(KINDS).filter((kind) => kind in turn) : [];
  const [kind = ''] = kinds;
  if (!isJsonObject(turn) || kinds.length !== 1) throw wrong(name, 'a turn', turn);
  requireKnown(`\`${name}\`, a turn with \`${kind}\`,`, name, turn, [kind, ...(KINDS[kind] ?? [])]);
  checkFields(turn, name, VALUES);
  const { sseError } = turn;
  if (sseError !== undefined) {
    const place = `${name}.sseError`;
    requireOption(object, sseError, place);
    requireKnown(`\`${place}\``, place, sseError as JsonObject, ['type', 'message']);
    for (const field of ['type', 'message'])
      requireOption(nonEmptyString, Reflect.get(Object(sseError), field), `${place}.${field}`);
  }
  const [value, place] = [turn[kind], `${name}.${kind}`];
  if (kind === 'blocks') {
    if (!Array.isArray(value)) throw wrong(place, 'a list', value);
    for (const [index, block] of value.entries()) checkBlock(block, `${place}[${index}]`);
  } else if (kind === 'error') {
    if (!isJsonObject(value) || !('status' in value)) throw wrong(place, 'an object with a `status`', value);
    requireKnown(`\`${name}\`, an error turn,`, place, value, Object.keys(ERROR));
    checkFields(value, place, ERROR);
  } else if (kind === 'hang') {
    if (value !== true) throw wrong(place, 'true', value);
  } else if (typeof value !== 'string') throw wrong(place, 'a string', value);
}

function checkFields(given: JsonObject, name: string, fields: Readonly<Record<string, Validator>>): void {
  for (const [field, validator] of Object.entries(fields)) {
    if (given[field] !== undefined) requireOption(validator, given[field], `${name}.${field}`);
  }
}

function checkBlock(block: unknown, name: string): void {
  const type = isJsonObject(block) ? String(block.type) : '';
  const fields = Object.hasOwn(BLOCKS, type) ? BLOCKS[type] : undefined;
  if (!isJsonObject(block) || fields === undefined)
    throw wrong(name, 'a content block', block, `The \`type\` of a block is one of ${Object.keys(BLOCKS).join(', ')}.`);
  const [needed, more] = fields;
  requireKnown(`\`${name}\`, a block of the type ${type},`, name, block, ['type', ...needed, ...more]);
  checkFields(block, name, VALUES);
  for (const field of needed) {
    const value = block[field];
    const isInput = field === 'input';
    if (!(isInput ? isJsonObject(value) : typeof value === 'string')) {
      throw wrong(`${name}.${field}`, isInput ? 'an object' : 'a string', value);
    }
    const [place, loss] = [`${name}.${field}`, jsonLoss(value)];
    if (loss !== undefined) throw new InvalidOptionError(place, `\`${place}\` cannot be written as JSON: ${loss}.`);
  }
}

function wrong(name: string, what: string, value: unknown, cure = CURE): Error {
  return invalidArgument(name, `\`${name}\` is ${what}`, value, cure);
}
