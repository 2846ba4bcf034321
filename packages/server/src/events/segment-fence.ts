import { randomUUID } from 'node:crypto';
import { copyFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode, unlessMissing } from '../stores/file-errors.js';
import { leasePassed } from '../stores/lease-token.js';

const TOKEN = /^token\.(\d+)\.([\da-f-]{36})$/;

interface Seen {
  readonly name: string;
  readonly token: number;
  readonly writer: string;
}

/**
 * Keeps hosts whose lease has passed out of the files of a log. The highest token that was seen is in the name of a file,
 * `token.<token>.<writer>`. A host that takes over makes its own, and then puts a copy in the place of the newest segment.
 * So one that stood still after its last {@link check} writes to a file that nobody reads.
 */
export class SegmentFence {
  /** One process, or one part of it. */
  readonly #writer = randomUUID();

  /**
   * To be called before the end of the log is looked for.
   * @param newest - The path of the newest segment, asked for when the token is there.
   * @throws HostError `conflict`: a higher token was seen.
   */
  async raise(folder: string, token: number, newest: () => Promise<string | undefined>): Promise<void> {
    const before = await seenIn(folder);
    if (before.some((seen) => seen.token > token)) throw leasePassed();
    if (before.some((seen) => seen.token === token && seen.writer === this.#writer)) return;
    await writeFile(join(folder, `token.${token}.${this.#writer}`), '', { mode: 0o600 });
    const seen = await seenIn(folder);
    if (seen.some((each) => each.token > token)) throw leasePassed();
    const segment = seen.some(({ writer }) => writer !== this.#writer) ? await newest() : undefined;
    if (segment !== undefined) await replace(segment, join(folder, `draft.${randomUUID()}`));
    for (const { name, token: old } of seen) if (old < token) await rm(join(folder, name), { force: true });
  }

  /**
   * To be called with the segment open, before it is written to and after: a write that was on its way meanwhile may be lost.
   * @throws HostError `conflict`, as {@link raise}.
   */
  async check(folder: string, token: number): Promise<void> {
    if ((await seenIn(folder)).some((seen) => seen.token > token)) throw leasePassed();
  }
}

async function seenIn(folder: string): Promise<readonly Seen[]> {
  const names = (await unlessMissing(readdir(folder))) ?? [];
  return names.flatMap((name) => {
    const [, token, writer] = TOKEN.exec(name) ?? [];
    return writer === undefined ? [] : [{ name, token: Number(token), writer }];
  });
}

async function replace(path: string, draft: string): Promise<void> {
  try {
    await copyFile(path, draft);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    // It was dropped meanwhile: then nobody reads it either.
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}
