import { constants } from 'node:fs';
import { open } from 'node:fs/promises';

/** The path is not a file of the expected kind. */
export class UnfitFile extends Error {}

interface ReadLimits {
  readonly maxBytes: number;
  /** Refuses a link in the last place, and the file of another user. Windows knows neither. @defaultValue false */
  readonly isOwn?: boolean | undefined;
}

/**
 * Reads a file that others may have put there: never waits for a pipe, never reads more than the limit, whatever the
 * size is said to be.
 * @throws {@link UnfitFile}, and what the file system says.
 */
export async function readRegularFile(path: string, { maxBytes, isOwn = false }: ReadLimits): Promise<string> {
  const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants;
  const file = await open(path, O_RDONLY | O_NONBLOCK | (isOwn ? O_NOFOLLOW : 0));
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw new UnfitFile('no regular file');
    if (isOwn && stats.uid !== (process.getuid?.() ?? stats.uid)) throw new UnfitFile('of another user');
    const tooLarge = new UnfitFile(`more than ${maxBytes} bytes`);
    if (stats.size > maxBytes) throw tooLarge;
    const chunks: Buffer[] = [];
    // One byte more than may be there: it may grow meanwhile.
    for await (const chunk of file.createReadStream({ end: maxBytes, autoClose: false })) chunks.push(chunk);
    const bytes = Buffer.concat(chunks);
    if (bytes.length > maxBytes) throw tooLarge;
    return bytes.toString();
  } finally {
    await file.close();
  }
}
