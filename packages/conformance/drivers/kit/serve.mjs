/** What a driver throws for a command that its SDK has no way to do. */
export class Unsupported extends Error {
  name = 'Unsupported';
}

/**
 * Speaks the driver protocol (packages/conformance/DRIVERS.md) on stdin and stdout until stdin ends: one JSON object a line.
 *
 * @param {object} hello - `driver`, `sdk`, `version`, `language`, `features`.
 * @param {(write: (event: object) => void) => { handle(command: object): unknown, errorOf(error: unknown): object }} make
 *   Makes the driver. `handle` begins each command before the next line is read, so `send` after `send` stays in order.
 */
export async function serve(hello, make) {
  const write = takeStdout();
  write({ event: 'hello', protocol: 1, ...hello });
  const driver = make(write);
  const answer = async (command) => {
    const { id } = command;
    try {
      write({ id, result: (await driver.handle(command)) ?? null });
    } catch (error) {
      if (error instanceof Unsupported) write({ id, unsupported: error.message });
      else write({ id, error: driver.errorOf(error) });
    }
  };
  for await (const line of linesOf(process.stdin)) void answer(JSON.parse(line));
  // What an SDK left running must not keep the driver alive when nobody listens any more.
  process.exit(0);
}

/** Whatever else prints goes to stderr: a line of its own on stdout would break the protocol. */
function takeStdout() {
  const print = process.stdout.write.bind(process.stdout);
  process.stdout.write = process.stderr.write.bind(process.stderr);
  return (event) => void print(`${JSON.stringify(event)}\n`);
}

async function* linesOf(stream) {
  let pieces = [];
  for await (const chunk of stream.setEncoding('utf8')) {
    const [first, ...more] = chunk.split('\n');
    pieces.push(first);
    for (const next of more) {
      const line = pieces.join('');
      pieces = [next];
      if (line.trim() !== '') yield line;
    }
  }
}
