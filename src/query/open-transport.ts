import type { DiagnosticListener } from '../diagnostics.js';
import { projectKeyForDirectory } from '../transcripts/files/project-folder.js';
import { DeferredTransport } from '../transport/deferred-transport.js';
import type { FrameTransport } from '../transport/transport.js';
import { absolutePath } from '../util/host-places.js';
import { configLocation } from './config-location.js';
import { executePlan } from './execute-plan.js';
import type { LaunchPlan, SessionLoadPlan } from './launch/plan.js';
import type { MirrorTarget } from './session-output.js';
import { type LoadedSession, loadSession } from './stored-session/load-session.js';
import { TranscriptFolder } from './transcript-mirror/transcript-folder.js';

/** A transport that is not yet opened, and what its session has to know of the store behind it. */
export interface SessionTransport {
  readonly transport: FrameTransport;
  /** Resolves when the CLI runs, or never will. `undefined`: it runs once the transport is open. */
  readonly peerStarted?: Promise<void>;
  /** Where the transcript goes; `undefined`: nowhere. */
  readonly mirror?: MirrorTarget;
}

/**
 * Carries a plan out as far as that can be done before anything runs.
 *
 * @throws InvalidOptionError a path is relative, and the working directory of this process does not exist any more.
 */
export function openTransport(
  plan: LaunchPlan,
  onDiagnostic: DiagnosticListener,
): SessionTransport {
  const { sessionStore } = plan;
  if (sessionStore === undefined) return { transport: executePlan(plan, { onDiagnostic }) };
  const cwd = absolutePath('cwd', plan.cwd ?? '.');
  const location = configLocation(plan.env, cwd);
  const folder = new TranscriptFolder(location.folder, cwd);
  const { store, flush, load } = sessionStore;
  const mirror = { store, flush, folder };
  if (load === undefined) return { transport: executePlan(plan, { onDiagnostic }), mirror };
  const transport = new DeferredTransport(async (signal) => {
    const found = await loadSession({
      store,
      projectKey: projectKeyForDirectory(cwd),
      sessionId: load.sessionId,
      limits: { timeoutMs: load.timeoutMs, signal },
      userFiles: location,
      onDiagnostic,
    });
    if (found !== undefined) folder.moveTo(found.folder.path);
    return launch(plan, load, found, onDiagnostic);
  });
  return { transport, peerStarted: transport.started, mirror };
}

function launch(
  plan: LaunchPlan,
  load: SessionLoadPlan,
  found: LoadedSession | undefined,
  onDiagnostic: DiagnosticListener,
): FrameTransport {
  const session = found && { sessionId: found.sessionId, configFolder: found.folder.path };
  return executePlan(
    { ...plan, ...load.launchWith(session) },
    { onDiagnostic, onGone: () => found?.folder.remove(onDiagnostic) },
  );
}
