import { existsSync, type FSWatcher, watch } from 'node:fs';
import { dirname } from 'node:path';

/** Only for file systems that tell nobody of new files. */
const POLL_MS = 250;

/** Resolves when the file is there; does so at once when it is. After `abandoned` it stays pending and holds nothing. */
export function fileAppears(file: string, abandoned: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (abandoned.aborted) return;
    let watcher: FSWatcher | undefined;
    const stop = (): void => {
      clearInterval(timer);
      watcher?.close();
      abandoned.removeEventListener('abort', stop);
    };
    const look = (): void => {
      if (!existsSync(file)) return;
      stop();
      resolve();
    };
    const timer = setInterval(look, POLL_MS);
    abandoned.addEventListener('abort', stop, { once: true });
    try {
      watcher = watch(dirname(file), look);
      watcher.on('error', () => watcher?.close());
    } catch {
      // The folder cannot be watched: the timer looks.
    }
    // After the watch began, so that a file made in between is not missed.
    look();
  });
}
