/**
 * The frames of the floods, and the check that what arrived is what was sent. Shared by the fake CLI
 * and the runs, so both sides mean the same by "right".
 *
 * Every frame carries its number: an assistant message in `message.usage.output_tokens`, a delta in a field
 * of its own, since `event.index` is that of its content block, which stays the same for many. Numbers have
 * seven digits, so they can be written into a prepared buffer without moving anything.
 */

const FIRST_NUMBER = 1_000_000;
const DIGITS = 7;
const ZERO = 0x30;
const KIB = 1024;
const MIB = 1024 * KIB;

const SESSION_ID = '7affca57-e3e4-4c54-9b50-2816c546572f';
const UUID = '40553756-b27d-4429-8a42-b46d0b69d294';

const ASCII = 'The quick brown fox jumps over the lazy dog. ';
/** Two, three and four bytes a character, between ASCII ones. */
const MIXED_SCRIPTS = 'Größe, naïve façade; 日本語のテキスト, 한국어 🚀 ok. ';

/** What each kind of flood repeats: a frame's type, the length of its line in bytes, what its text is made of. */
const KINDS = {
  small: [{ type: 'stream_event', bytes: 263, filler: ASCII }],
  '4k': [{ type: 'assistant', bytes: 4 * KIB, filler: ASCII }],
  '4k-utf8': [{ type: 'assistant', bytes: 4 * KIB, filler: MIXED_SCRIPTS }],
  // No ids: who joins the blocks of one message sees 3000 messages.
  '100k': [{ type: 'assistant', bytes: 100 * KIB, filler: ASCII, id: undefined }],
  '1m': [{ type: 'assistant', bytes: MIB, filler: ASCII }],
  '64m': [{ type: 'assistant', bytes: 64 * MIB, filler: ASCII }],
  mixed: [
    ...new Array(64).fill({ type: 'stream_event', bytes: 263, filler: ASCII }),
    { type: 'assistant', bytes: 4 * KIB, filler: ASCII },
    { type: 'assistant', bytes: 16 * KIB, filler: ASCII },
  ],
};

/** Microseconds of a clock that all processes of one machine share. */
export function nowUs() {
  return Number(process.hrtime.bigint()) / 1000;
}

/** The `index`-th id of a run, in the form of a uuid. */
export function idOf(index) {
  return `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
}

/** Some whole frames in one buffer, ready to be numbered and written. */
export class FrameBlock {
  #numberOffsets;
  #units;
  bytes;

  /** As many rounds of `kind` as fit into 64 KiB, at least one. */
  constructor(kind) {
    const round = KINDS[kind].map(lineOf);
    const rounds = Math.max(1, Math.floor((64 * KIB) / sum(round.map((line) => line.bytes.length))));
    const lines = new Array(rounds).fill(round).flat();
    this.bytes = Buffer.concat(lines.map((line) => line.bytes));
    this.#units = lines.map((line) => line.units);
    let start = 0;
    this.#numberOffsets = lines.map((line) => {
      const offset = start + line.numberOffset;
      start += line.bytes.length;
      return offset;
    });
  }

  get frameCount() {
    return this.#numberOffsets.length;
  }

  /** UTF-16 units of all texts. */
  get units() {
    return sum(this.#units);
  }

  /** Writes the numbers of the frames that begin with the `index`-th of the flood. */
  number(index) {
    const { bytes } = this;
    let value = FIRST_NUMBER + index;
    for (const offset of this.#numberOffsets) {
      let rest = value;
      for (let digit = DIGITS - 1; digit >= 0; digit -= 1) {
        bytes[offset + digit] = ZERO + (rest % 10);
        rest = Math.floor(rest / 10);
      }
      value += 1;
    }
  }
}

/** Follows a flood on the receiving side. */
export class FloodCheck {
  #next = FIRST_NUMBER;
  #units = 0;
  #lastText = '';

  /** Frames seen. */
  get count() {
    return this.#next - FIRST_NUMBER;
  }

  /** @returns false for a message that is no part of a flood. @throws the frame is not the one that is due. */
  see(message) {
    let number;
    let text;
    if (message.type === 'stream_event') {
      number = message.number;
      text = message.event.delta.text;
    } else if (message.type === 'assistant') {
      number = message.message.usage.output_tokens;
      text = message.message.content[0].text;
    } else {
      return false;
    }
    if (number !== this.#next) throw new CheckFailed(`frame ${this.#next} was due, ${number} came`);
    this.#next += 1;
    this.#units += text.length;
    this.#lastText = text;
    return true;
  }

  /** @param report - What the CLI says it sent. @throws anything is missing, too much or changed. */
  finish(kind, report) {
    assertEqual('frames', this.count, report.frames);
    assertEqual('UTF-16 units of text', this.#units, report.units);
    if (this.#lastText !== textOf(KINDS[kind].at(-1))) throw new CheckFailed('the last text differs');
  }
}

export class CheckFailed extends Error {
  name = 'CheckFailed';
}

export function assertEqual(what, actual, expected) {
  if (actual !== expected) throw new CheckFailed(`${what}: ${actual} instead of ${expected}`);
}

/** The line of one frame, newline included in `bytes`, and where its number stands. */
function lineOf(shape) {
  const text = textOf(shape);
  const bytes = Buffer.from(`${JSON.stringify(frameOf(shape, text))}\n`);
  return { bytes, units: text.length, numberOffset: bytes.indexOf(String(FIRST_NUMBER)) };
}

/** Filler up to the line length that the shape asks for. */
function textOf(shape) {
  const { bytes, filler } = shape;
  const room = bytes - Buffer.byteLength(`${JSON.stringify(frameOf(shape, ''))}\n`);
  const whole = Math.floor(room / Buffer.byteLength(filler));
  const rest = room - whole * Buffer.byteLength(filler);
  return filler.repeat(whole) + 'x'.repeat(rest);
}

function frameOf(shape, text) {
  const { type, id } = { id: 'msg_1', ...shape };
  const common = { session_id: SESSION_ID, parent_tool_use_id: null, uuid: UUID };
  if (type === 'stream_event') {
    const delta = { type: 'text_delta', text };
    return { type, event: { type: 'content_block_delta', index: 0, delta }, number: FIRST_NUMBER, ...common };
  }
  const usage = { input_tokens: 10, output_tokens: FIRST_NUMBER };
  const content = [{ type: 'text', text }];
  const model = 'claude-opus-5-5';
  return { type, message: { id, type: 'message', role: 'assistant', model, usage, content }, ...common };
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}
