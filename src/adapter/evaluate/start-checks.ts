import { childEnvironment } from '../isolation/child-environment.js';
import { DEFAULT_PREFIX } from '../isolation/ephemeral-home.js';
import { resolveIsolation } from '../isolation/isolation-config.js';
import { checkManagedMachine } from '../isolation/managed-machine.js';
import { refuseBypassAsRoot } from '../isolation/refuse-bypass-as-root.js';
import { requireSandbox } from '../isolation/require-sandbox.js';
import type { Run } from './run.js';

/**
 * Refuses what cannot run, before anything is rendered, published or started.
 *
 * @throws {@link AdapterConfigError}
 */
export async function checkStart(run: Run<unknown>): Promise<void> {
  const { config, host, place, log } = run;
  const { client, sandboxProbe: probe } = config;
  const { platform, uid } = host;
  const { permissionMode } = client;
  if (client.isolation === undefined) {
    refuseBypassAsRoot({ permissionMode, uid, childEnv: { ...host.env, ...client.env } });
    return;
  }
  const isolation = resolveIsolation(client.isolation, platform);
  // There is no home yet; what is looked at does not hang on it.
  const { env: childEnv } = childEnvironment({
    isolation,
    hostEnv: host.env,
    platform,
    cwd: place.cwd,
    addDirs: place.addDirs,
    tempRoot: host.tempRoot,
    prefix: DEFAULT_PREFIX,
  });
  refuseBypassAsRoot({ permissionMode, uid, childEnv });
  const { texts } = await checkManagedMachine(host.managedFolder, childEnv);
  const { sandbox } = isolation;
  const path = childEnv.PATH ?? childEnv.Path;
  const { tempRoot } = host;
  run.recorder.isolation = {
    requested: sandbox.enabled,
    settingsConfirmed: false,
    ...(await requireSandbox({ sandbox, platform, path, tempRoot, probe, log })),
    managedSources: texts,
  };
}
