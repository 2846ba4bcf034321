/** Framing: bytes to lines to frames, and back. */
export default [
  {
    name: 'non-ascii-as-latin1',
    file: 'src/transport/line-decoder.ts',
    find: "this.#emit(chunk.toString('utf8', from, lineFeed), lineFeed - from);",
    replace: "this.#emit(chunk.toString('latin1', from, lineFeed), lineFeed - from);",
    breaks: 'Lines with a character outside ASCII are decoded as Latin-1.',
  },
  {
    name: 'chunk-decoded-alone',
    file: 'src/transport/line-decoder.ts',
    find: '    this.#tail.append(chunk, start, end);\n  }',
    replace:
      "    const text = Buffer.from(chunk.toString('utf8', start, end));\n    this.#tail.append(text, 0, text.length);\n  }",
    breaks: 'A character split between two chunks becomes two replacement characters.',
  },
  {
    name: 'eats-a-byte-after-the-tail',
    file: 'src/transport/line-decoder.ts',
    find: '      this.#finishTail(chunk, 0, lineFeed);\n      start = lineFeed + 1;',
    replace: '      this.#finishTail(chunk, 0, lineFeed);\n      start = lineFeed + 2;',
    breaks: 'The line behind one that began in an earlier chunk loses its first byte.',
  },
  {
    name: 'drops-an-unterminated-last-line',
    file: 'src/transport/ndjson.ts',
    find: 'if (rest !== undefined) this.#onRest(rest.text, rest.bytes);',
    replace: 'void rest;',
    breaks: 'A last line without a newline is lost.',
  },
  {
    name: 'splits-at-line-separators',
    file: 'src/transport/line-decoder.ts',
    find: "this.#emit(chunk.toString('utf8', from, lineFeed), lineFeed - from);",
    replace:
      "for (const part of chunk.toString('utf8', from, lineFeed).split(/[\\u2028\\u2029]/)) this.#emit(part, part.length);",
    breaks: 'U+2028 and U+2029 inside a string end the line.',
  },
  {
    name: 'cuts-lines-above-one-block',
    file: 'src/transport/byte-accumulator.ts',
    find: 'length <= BLOCK_BYTES ? first',
    replace: 'length <= 16 * BLOCK_BYTES ? first',
    breaks: 'Of a line between 64 KiB and 1 MiB only the first block is decoded.',
  },
  {
    name: 'writes-latin1',
    file: 'src/transport/frame-writer.ts',
    find: 'this.#stdin.write(text)',
    replace: "this.#stdin.write(text, 'latin1')",
    breaks: 'What is written to the CLI loses every character outside Latin-1.',
  },
  {
    name: 'hides-unknown-frames',
    file: 'src/control/frame-router.ts',
    find: '    default:\n      sinks.onMessage(frame, bytes, line);',
    replace: '    default:\n      sinks.onHiddenFrame(String(type));',
    breaks: 'A frame of a type that is not known is not shown.',
  },
  {
    name: 'shows-keep-alive',
    file: 'src/control/frame-router.ts',
    find: "    case 'keep_alive':\n      sinks.onHiddenFrame(type);",
    replace: "    case 'keep_alive':\n      sinks.onMessage(frame, bytes, line);",
    breaks: 'keep_alive reaches the consumer.',
  },
  {
    name: 'arrays-are-frames',
    file: 'src/transport/ndjson.ts',
    find: 'if (isJsonObject(value)) this.#sink.onFrame(value, bytes, text);',
    replace:
      "if (typeof value === 'object' && value !== null) this.#sink.onFrame(value as JsonObject, bytes, text);",
    breaks: 'A line that holds a JSON array reaches the consumer as a message.',
  },
];
