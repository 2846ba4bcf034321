const realImmediate = globalThis.setImmediate;
const realNow = performance.now.bind(performance);

/** Turns of the event loop in which everything in memory gets through. */
const QUIET_TURNS = 12;
/** Real milliseconds after which no request to the file system is waited for. */
export const MAX_REAL_WAIT_MS = 4_000;

/** Lets happen what needs no time: pipes in memory, promises, requests to the file system. */
export async function quiet(): Promise<void> {
  const giveUpAt = realNow() + MAX_REAL_WAIT_MS;
  let turns = 0;
  while (turns < QUIET_TURNS) {
    await new Promise<void>((resolve) => void realImmediate(resolve));
    const isBusy = process.getActiveResourcesInfo().some((name) => name.startsWith('FSReq'));
    turns = isBusy && realNow() < giveUpAt ? 0 : turns + 1;
  }
}
