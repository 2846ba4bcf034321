/** A driver that is wrong in one way, named by its argument. `ok` is right: it does what the scenario of the tests asks. */
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [, , mode, file] = process.argv;
const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);
const tell = (what, fields) => say({ event: 'observed', run: 'main', what, ...fields });
let cli;

if (mode === 'talks-first') process.stdout.write('Starting up...\n');
if (mode !== 'silent') {
  const protocol = mode === 'protocol-2' ? 2 : 1;
  const features = { 'no-features': [], misspelt: ['query', 'hook'] }[mode] ?? ['query'];
  const hello = {
    event: 'hello',
    protocol,
    driver: 'wrong',
    sdk: file === 'mini-host' ? file : 's',
    version: '0',
    language: 'js',
    features,
  };
  // Two lines in one write.
  if (mode === 'hello-twice') process.stdout.write(`${JSON.stringify(hello)}\n`.repeat(2));
  else say(hello);
}
if (mode === 'never-reads') {
  writeFileSync(file, String(process.pid));
  setInterval(() => {}, 60_000);
} else createInterface({ input: process.stdin }).on('line', (line) => on(JSON.parse(line)));

function on({ id, command, cli: path, cwd }) {
  if (command === 'finish') {
    if (mode === 'never-finishes') return;
    if (mode !== 'leaves-cli') cli?.stdin.end();
    say({ id, result: null });
    return;
  }
  switch (mode) {
    case 'malformed':
      process.stdout.write('{"id":1,\n');
      return;
    case 'bad-reply':
      say({ id, result: null, error: { kind: 'other', message: 'm', class: 'c' } });
      return;
    case 'bad-kind':
      say({ id, error: { kind: 'strange', message: 'm', class: 'c' } });
      return;
    case 'bad-event':
      tell('thought', {});
      return;
    case 'wrong-id':
      say({ id: 999, result: null });
      return;
    case 'answers-twice':
      say({ id, result: null });
      say({ id, result: null });
      return;
    case 'exits':
      process.stderr.write('boom\n');
      process.exit(7);
      return;
    case 'exits-before-its-child':
      spawn(process.execPath, ['-e', 'setInterval(() => {}, 60000)'], { stdio: 'inherit' }).once('spawn', () => {
        process.stderr.write('boom\n', () => process.exit(7));
      });
      return;
    case 'no-newline':
      process.stdout.write('{"id":1,"result"', () => process.exit(0));
      return;
    case 'long-line':
      process.stdout.write('x'.repeat(100_000));
      return;
    case 'floods':
      setInterval(() => {
        for (let i = 0; i < 100; i += 1) tell('message', { message: { type: 'noise', i } });
      }, 1);
      return;
    case 'unsupported':
      say({ id, unsupported: 'this SDK has no query' });
      return;
    case 'fails':
      process.stderr.write('Traceback:\n  a reader died with ghp_a1B2c3D4e5F6g7H8i9J0\n');
      say({ id, error: { kind: 'launch', message: 'no such thing', class: 'LaunchError' } });
      return;
    case 'lies':
      say({ id, result: null });
      tell('message', { message: { type: 'result', result: 'Hi.' } });
      tell('end');
      return;
    case 'never-answers':
      return;
  }
  run(path, cwd);
  say({ id, result: null });
}

/** The CLI by hand. `leaves-child` starts a program of its own beside it, and writes down its pid. */
function run(path, cwd) {
  if (mode === 'leaves-child') {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 60000)'], { stdio: 'ignore' });
    import('node:fs').then(({ writeFileSync }) => writeFileSync(file, String(child.pid)));
  }
  cli = spawn(path, ['--verbose'], { cwd, stdio: ['pipe', 'pipe', 'ignore'] });
  createInterface({ input: cli.stdout }).on('line', (line) => {
    const message = JSON.parse(line);
    if (mode === 'changes-messages') message.result = 'Bye.';
    tell('message', { message });
    if (mode === 'leaves-cli') tell('end');
    else cli.stdin.end();
  });
  if (mode !== 'leaves-cli') cli.on('close', () => tell('end'));
  const role = mode === 'writes-wrong' ? 'assistant' : 'user';
  cli.stdin.write(`${JSON.stringify({ type: 'user', message: { role } })}\n`);
}
