import { InvalidOptionError } from 'claudewire';

/** As PowerShell and Windows programs write it: by its first two bytes. */
const UTF_16 = new Map([
  ['fffe', 'utf-16le'],
  ['feff', 'utf-16be'],
]);

/**
 * What was piped, as text: UTF-8, or UTF-16 with a byte order mark. Letters of other encodings become U+FFFD, as `git diff`
 * may show files of any.
 * @throws InvalidOptionError it is no text: a NUL is in it.
 */
export function pipedText(bytes: Buffer): string {
  const text = new TextDecoder(UTF_16.get(bytes.toString('hex', 0, 2)) ?? 'utf-8').decode(bytes);
  if (!text.includes('\0')) return text;
  throw new InvalidOptionError(
    'prompt',
    'what came on standard input is no text: it has NUL bytes. Pipe text as UTF-8, or name the file in the prompt',
  );
}
