/** `break` or abort in the middle of a flood, with a CLI that ends at the end of its input. */
import { FloodCheck } from '../frames.mjs';
import { gone, quickCli } from './support.mjs';

const TAKEN = 10;

/**
 * @param params.how - `break` or `abort`.
 * @param params.what - `ms`: until the loop is left and the child is gone; `messages`: how many came after it.
 */
export async function measure(contender, { how, what, cliFile, frames }) {
  await contender.load({});
  const check = new FloodCheck();
  let pid;
  let leftAt;
  let after = 0;
  const session = contender.open({
    cli: quickCli(cliFile, frames.many),
    prompt: 'Go.',
    onMessage(message) {
      if (leftAt !== undefined) after += 1;
      if (message.subtype === 'init') pid = message.pid;
      if (!check.see(message) || check.count !== TAKEN) return undefined;
      leftAt = performance.now();
      if (how === 'break') return true;
      session.abort();
      return undefined;
    },
  });
  await Promise.all([session.done, waitFor(() => pid).then(gone)]);
  return what === 'ms' ? performance.now() - leftAt : after;
}

async function waitFor(read) {
  while (read() === undefined) await new Promise((resolve) => setImmediate(resolve));
  return read();
}
