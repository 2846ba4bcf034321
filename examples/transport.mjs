/** Claude Code behind a socket: one side has it, the other drives it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { query } from 'claudewire';

const ARGS = ['--output-format', 'stream-json', '--verbose', '--input-format', 'stream-json'];

// The side that has Claude Code: one process for each connection.
const server = createServer({ allowHalfOpen: true }, (socket) => {
  const cli = spawn(process.env.CLAUDE_CODE_EXECUTABLE ?? 'claude', ARGS, {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  socket.pipe(cli.stdin).on('error', () => socket.destroy());
  cli.stdout.pipe(socket);
  cli.on('error', () => socket.destroy());
  socket.on('error', () => {}).on('close', () => cli.kill());
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const address = server.address();
if (address === null || typeof address === 'string') throw new Error('not a port');

/** The side that drives it. */
class SocketTransport {
  #socket;

  /** @param {number} port */
  constructor(port) {
    this.#socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  }

  async connect() {
    await once(this.#socket, 'connect');
  }

  /** @param {string} line */
  async write(line) {
    if (!this.#socket.write(line)) await once(this.#socket, 'drain');
  }

  /** Not with `readline`, which also splits at U+2028; JSON may hold that as it is. */
  async *readMessages() {
    let rest = '';
    for await (const chunk of this.#socket.setEncoding('utf8')) {
      const lines = `${rest}${chunk}`.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) yield JSON.parse(line);
    }
  }

  endInput() {
    this.#socket.end();
  }

  isReady() {
    return this.#socket.writable;
  }

  close() {
    this.#socket.destroy();
  }
}

let answer = '';
const options = { transport: new SocketTransport(address.port) };
for await (const message of query({ prompt: 'Say hello in one sentence.', options })) {
  if (message.type === 'result' && message.subtype === 'success') answer = message.result;
}
server.close();
console.log(answer);
if (answer === '') process.exitCode = 1;
