/** The process starts while the program is busy with something else; its prompt then does not wait for the start. */
import { isClaudeSDKError, startup } from 'claudewire';

const seen = [];
try {
  const warm = await startup();
  try {
    console.log('ready, and nothing asked yet');
    for await (const message of warm.query('Say hello in one sentence.')) {
      if (message.type === 'system' && message.subtype === 'init') seen.push('session');
      if (message.type === 'result') seen.push(message.subtype);
    }
  } finally {
    // Ends the process only when its prompt was never sent.
    warm.close();
  }
} catch (error) {
  if (!isClaudeSDKError(error)) throw error;
  console.error(`${error.errorClass}: ${error.message}`);
}
console.log(seen.join(', '));
if (seen.at(-1) !== 'success') process.exitCode = 1;
