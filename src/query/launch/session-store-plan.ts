import { isSessionId } from '../../transcripts/transcript/entry.js';
import { toTimerLimit } from '../../util/timer-limit.js';
import { withVariable } from './environment.js';
import type { SessionLaunch, SessionStorePlan } from './plan.js';
import type { GivenOptions } from './validate-options.js';

const LOAD_TIMEOUT_MS = 60_000;

/** What the launch with a loaded session is made from. */
interface LaunchParts {
  /** Arguments and private files for these options. */
  readonly launch: (options: GivenOptions) => Pick<SessionLaunch, 'args' | 'files'>;
  /** The environment without a loaded session. */
  readonly env: SessionLaunch['env'];
  readonly platform: NodeJS.Platform;
}

/**
 * What the session store takes part in. A session is loaded when `resume` is a UUID or `continue` asks for the newest one,
 * and the CLI is started by us: over a `transport` nothing is written for it (PY-274).
 */
export function planSessionStore(given: GivenOptions, parts: LaunchParts): SessionStorePlan | undefined {
  const { sessionStore: store, sessionStoreFlush: flush = 'batched', resume } = given;
  if (store === undefined) return undefined;
  const isWanted = resume ? isSessionId(resume) : given.continue === true;
  if (!isWanted || given.transport !== undefined) return { store, flush, load: undefined };
  return {
    store,
    flush,
    load: {
      sessionId: resume || undefined,
      timeoutMs: toTimerLimit(given.loadTimeoutMs ?? LOAD_TIMEOUT_MS),
      launchWith: (found) => {
        // Nothing found: `resume` is for the CLI's own files to try, `continue` has nothing to go on with.
        if (found === undefined) return { ...parts.launch(withStoreChoice(given)), env: parts.env };
        const { sessionId, configFolder } = found;
        return {
          ...parts.launch({ ...withStoreChoice(given), resume: sessionId }),
          env: withVariable(parts.env, 'CLAUDE_CONFIG_DIR', configFolder, parts.platform),
        };
      },
    },
  };
}

/** With a store, `--continue` is never sent: it would go on with the newest of the CLI's own files. */
export function withStoreChoice(given: GivenOptions): GivenOptions {
  return given.sessionStore === undefined ? given : withoutContinue(given);
}

function withoutContinue({ continue: _, ...rest }: GivenOptions): GivenOptions {
  return rest;
}
