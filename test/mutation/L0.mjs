import { remove, replace, setCase } from './changes.mjs';

/** Framing: bytes to lines to frames, and back. */
export default [
  {
    name: 'non-ascii-as-latin1',
    symbol: 'LineDecoder.#decodeWholeLines',
    change: replace("'utf8'", "'latin1'"),
    breaks: 'Lines with a character outside ASCII are decoded as Latin-1.',
  },
  {
    name: 'chunk-decoded-alone',
    symbol: 'LineDecoder.#keep',
    change: replace(
      'this.#tail.append(chunk, start, end)',
      "this.#tail.append(Buffer.from(chunk.toString('utf8', start, end)), 0, Buffer.byteLength(chunk.toString('utf8', start, end)))",
    ),
    breaks: 'A character split between two chunks becomes two replacement characters.',
  },
  {
    name: 'eats-a-byte-after-the-tail',
    symbol: 'LineDecoder.#pushLineFeeds',
    change: replace('$start = lineFeed + 1', '$start = lineFeed + 2'),
    breaks: 'The line behind one that began in an earlier chunk loses its first byte.',
  },
  {
    name: 'drops-an-unterminated-last-line',
    symbol: 'NdjsonReader.end',
    change: remove('this.#onRest($$rest)'),
    breaks: 'A last line without a newline is lost.',
  },
  {
    name: 'splits-at-line-separators',
    symbol: 'LineDecoder.#decodeWholeLines',
    change: replace(
      "this.#emit(chunk.toString('utf8', $from, $to), $bytes)",
      "chunk.toString('utf8', $from, $to).split(/[\\u2028\\u2029]/).forEach((part) => this.#emit(part, part.length))",
    ),
    breaks: 'U+2028 and U+2029 inside a string end the line.',
  },
  {
    name: 'cuts-lines-above-one-block',
    symbol: 'ByteAccumulator.take',
    change: replace('$length <= BLOCK_BYTES', '$length <= 16 * BLOCK_BYTES'),
    breaks: 'Of a line between 64 KiB and 1 MiB only the first block is decoded.',
  },
  {
    name: 'writes-latin1',
    symbol: 'FrameWriter.flush',
    change: replace('this.#stdin.write($text)', "this.#stdin.write($text, 'latin1')"),
    breaks: 'What is written to the CLI loses every character outside Latin-1.',
  },
  {
    name: 'hides-unknown-frames',
    symbol: 'QueryController.#onMessage',
    change: setCase('default', 'this.#options.receiver.onHiddenFrame(String(frame.type));'),
    breaks: 'A frame of a type that is not known is not shown.',
  },
  {
    name: 'shows-keep-alive',
    symbol: 'QueryController.#onFrame',
    change: setCase("'keep_alive'", 'this.#show(frame, bytes, line); this.#handshake.onKeepAlive(frame); return;'),
    breaks: 'keep_alive reaches the consumer.',
  },
  {
    name: 'arrays-are-frames',
    symbol: 'NdjsonReader.#onLine',
    change: replace('isJsonObject($value)', "typeof $value === 'object' && $value !== null"),
    breaks: 'A line that holds a JSON array reaches the consumer as a message.',
  },
];
