import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { assertDirectory } from '../checks.js';
import { HostError, storeFailure } from '../errors.js';
import type { ApprovalState } from '../events/conversation-event.js';
import { assertUuid, type ConversationKey, conversationFolder } from '../stores/conversation-key.js';
import { hasCode, unlessMissing } from '../stores/file-errors.js';
import { type Approval, type ApprovalChanges, NEXT } from './approval.js';
import type { ApprovalStore } from './approval-store.js';
import { oldestFirst } from './memory-approval-store.js';

const FILE = /^([0-9a-f-]{36})\.([123])\.json$/;

/**
 * An {@link ApprovalStore} in a directory, for several hosts on one machine. Each change makes the next file of an
 * approval (`<id>.1.json` to `<id>.3.json`), which the file system lets one process do. Files have mode 0600 and are
 * on the disk before they get their name. Not for network file systems.
 */
export class FileApprovalStore implements ApprovalStore {
  readonly #root: string;

  /** @param directory - Made by the first approval. */
  constructor(directory: string) {
    assertDirectory('new FileApprovalStore()', directory);
    this.#root = resolve(directory);
  }

  async create(approval: Approval): Promise<void> {
    const folder = this.#folder(approval, approval.approvalId);
    await attempt('Storing an approval', async () => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      if (await this.#make(folder, 1, approval)) return;
      throw new HostError('conflict', 'An approval with this id exists.');
    });
  }

  async get(key: ConversationKey, approvalId: string): Promise<Approval | undefined> {
    const folder = this.#folder(key, approvalId);
    return await attempt('Reading an approval', async () => (await this.#newest(folder, approvalId))?.approval);
  }

  async list(key: ConversationKey): Promise<readonly Approval[]> {
    const folder = conversationFolder(this.#root, key);
    return await attempt('Listing approvals', async () => {
      const names = (await unlessMissing(readdir(folder))) ?? [];
      const ids = new Set(names.flatMap((name) => FILE.exec(name)?.[1] ?? []));
      const found = await Promise.all([...ids].map((id) => this.#newest(folder, id)));
      return oldestFirst(found.flatMap((each) => each?.approval ?? []));
    });
  }

  async change(
    key: ConversationKey,
    approvalId: string,
    from: ApprovalState,
    changes: ApprovalChanges,
  ): Promise<boolean> {
    const folder = this.#folder(key, approvalId);
    return await attempt('Changing an approval', async () => {
      const newest = await this.#newest(folder, approvalId);
      if (newest?.approval.state !== from || !NEXT[from].includes(changes.state)) return false;
      return await this.#make(folder, newest.place + 1, { ...newest.approval, ...changes });
    });
  }

  async removeAll(key: ConversationKey): Promise<void> {
    const folder = conversationFolder(this.#root, key);
    await attempt('Removing approvals', () => rm(folder, { recursive: true, force: true }));
  }

  #folder(key: ConversationKey, approvalId: string): string {
    assertUuid(approvalId, 'An approval id');
    return conversationFolder(this.#root, key);
  }

  async #newest(folder: string, id: string): Promise<{ approval: Approval; place: number } | undefined> {
    for (const place of [3, 2, 1]) {
      const text = await unlessMissing(readFile(join(folder, `${id}.${place}.json`), 'utf8'));
      if (text === undefined) continue;
      const approval = readApproval(text, id);
      // Without it nobody knows whether a call may run, so none of the conversation does.
      if (approval === undefined) throw new Error(`${join(folder, `${id}.${place}.json`)} is no approval`);
      return { approval, place };
    }
    return undefined;
  }

  /** `false` when the file is there. */
  async #make(folder: string, place: number, approval: Approval): Promise<boolean> {
    const draft = join(folder, `draft.${randomUUID()}`);
    try {
      const file = await open(draft, 'wx', 0o600);
      try {
        await file.writeFile(JSON.stringify(approval));
        await file.sync();
      } finally {
        await file.close();
      }
      await link(draft, join(folder, `${approval.approvalId}.${place}.json`));
      await syncFolder(folder);
      return true;
    } catch (error) {
      if (hasCode(error, 'EEXIST', 'ENOENT')) return false;
      throw error;
    } finally {
      await rm(draft, { force: true });
    }
  }
}

/** `#make` writes it whole: it gets its name when it is on the disk. What others did to it shows here. */
function readApproval(text: string, id: string): Approval | undefined {
  try {
    const approval = JSON.parse(text) as Approval | null;
    return approval?.approvalId === id && Object.hasOwn(NEXT, approval.state) ? approval : undefined;
  } catch {
    return undefined;
  }
}

/** Else the new name may be gone after a loss of power. Windows cannot open folders, and needs no such call. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function attempt<T>(what: string, task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    throw storeFailure(what, error);
  }
}
