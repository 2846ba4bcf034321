import { removeDirectory } from './remove-directory.js';

interface SharedDirectory {
  readonly path: string;
  holders: number;
}

/** A share in a directory, which is removed when the last share is given back. */
export interface DirectoryLease {
  readonly isReleased: boolean;
  share(): DirectoryLease;
  /** Safe to call twice: the second call gets what the first got. */
  release(): Promise<void>;
}

export function leaseDirectory(path: string): DirectoryLease {
  return createLease({ path, holders: 0 });
}

function createLease(directory: SharedDirectory): DirectoryLease {
  let released: Promise<void> | undefined;
  directory.holders += 1;
  return {
    get isReleased() {
      return released !== undefined;
    },
    share: () => createLease(directory),
    release: () => {
      released ??= give(directory);
      return released;
    },
  };
}

async function give(directory: SharedDirectory): Promise<void> {
  directory.holders -= 1;
  if (directory.holders === 0) await removeDirectory(directory.path);
}

let registry: FinalizationRegistry<DirectoryLease> | undefined;

/** Gives the share back when `owner` is collected, unless {@link forget} comes first. */
export function releaseWithOwner(owner: object, lease: DirectoryLease): void {
  // Nobody is left to tell when it fails.
  registry ??= new FinalizationRegistry((held) => void held.release().catch(() => undefined));
  registry.register(owner, lease, lease);
}

export function forget(lease: DirectoryLease): void {
  registry?.unregister(lease);
}
