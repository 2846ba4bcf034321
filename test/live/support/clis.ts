/** One installed release of the CLI. */
export interface LiveCli {
  readonly name: 'current' | 'oldest';
  /** As pinned in `test/live/package.json`. */
  readonly version: string;
  readonly path: string;
}

/** Found, installed and checked by `scripts/live.mjs`, which knows the platforms. */
const { LIVE_CLIS } = process.env;
if (LIVE_CLIS === undefined) throw new Error('Run the live tests with `npm run test:live`');
// Written by scripts/live.mjs in the shape below.
const installed = JSON.parse(LIVE_CLIS) as Record<LiveCli['name'], Omit<LiveCli, 'name'>>;

/** The release that the recordings were made with. */
export const CURRENT: LiveCli = { name: 'current', ...installed.current };

/** The oldest release we claim to work with. A script: it runs on Node. */
export const OLDEST: LiveCli = { name: 'oldest', ...installed.oldest };

export const BOTH: readonly LiveCli[] = [CURRENT, OLDEST];
