import { invalidArgument, requireKnown } from '../../errors/usage-errors.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';

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

const TAKES = 'messagesApi() takes the turns of the model';
const CURE = 'A turn is a text, a function, or an object with one of `text`, `blocks`, `error`, `raw`, `hang`.';

/**
 * Checks a turn, so that a misspelt one is not answered with something else.
 * @param name - Where it is: `turns[2]`.
 * @throws InvalidOptionError it is none.
 */
export function checkTurn(turn: unknown, name: string): void {
  if (typeof turn === 'string' || typeof turn === 'function') return;
  const kinds = isJsonObject(turn) ? Object.keys(KINDS).filter((kind) => kind in turn) : [];
  const [kind] = kinds;
  if (!isJsonObject(turn) || kind === undefined || kinds.length > 1) {
    throw invalidArgument(name, `${TAKES}, and \`${name}\` is none`, turn, CURE);
  }
  requireKnown(`\`${name}\`, a turn with \`${kind}\`,`, name, turn, [kind, ...(KINDS[kind] ?? [])]);
  const { text, blocks, error, raw, hang } = turn;
  if (kind === 'text') requireText(text, `${name}.text`);
  if (kind === 'raw') requireText(raw, `${name}.raw`);
  if (kind === 'hang' && hang !== true) throw invalidArgument(`${name}.hang`, `\`${name}.hang\` is true`, hang, CURE);
  if (kind === 'error') {
    const isError = isJsonObject(error) && Number.isInteger(error.status);
    if (!isError)
      throw invalidArgument(`${name}.error`, `\`${name}.error\` has a \`status\``, error, 'Such as `{ status: 529 }`.');
    requireKnown(`\`${name}\`, an error turn,`, `${name}.error`, error, ['status', 'type', 'message']);
  }
  if (kind !== 'blocks') return;
  if (!Array.isArray(blocks)) throw invalidArgument(`${name}.blocks`, `\`${name}.blocks\` is a list`, blocks, CURE);
  for (const [index, block] of blocks.entries()) checkBlock(block, `${name}.blocks[${index}]`);
}

function checkBlock(block: unknown, name: string): void {
  const known = Object.keys(BLOCKS).join(', ');
  const type: unknown = isJsonObject(block) ? block.type : undefined;
  const fields = typeof type === 'string' && Object.hasOwn(BLOCKS, type) ? BLOCKS[type] : undefined;
  if (!isJsonObject(block) || fields === undefined) {
    throw invalidArgument(name, `\`${name}\` is a content block`, block, `The \`type\` of a block is one of ${known}.`);
  }
  const [needed, more] = fields;
  requireKnown(`\`${name}\`, a block of the type ${String(type)},`, name, block, ['type', ...needed, ...more]);
  for (const field of needed) requireField(block, field, name);
}

function requireField(block: JsonObject, field: string, name: string): void {
  const value = block[field];
  if (field === 'input' ? isJsonObject(value) : typeof value === 'string') return;
  const kind = field === 'input' ? 'an object' : 'a string';
  throw invalidArgument(`${name}.${field}`, `\`${name}.${field}\` is ${kind}`, value, 'Give it.');
}

function requireText(value: unknown, name: string): void {
  if (typeof value !== 'string') throw invalidArgument(name, `\`${name}\` is a string`, value, CURE);
}
