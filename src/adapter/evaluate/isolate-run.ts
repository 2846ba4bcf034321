import type { McpServerConfig } from '../../index.js';
import type { JsonObject } from '../../util/json.js';
import { type IsolationConfig, resolveIsolation } from '../isolation/isolation-config.js';
import { prepareIsolation } from '../isolation/prepare-isolation.js';
import type { Run } from './run.js';

/** What the child is started with. */
export interface RunSurroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Path of a file, or the settings themselves; `undefined`: none are sent. */
  readonly settings: string | JsonObject | undefined;
  /** What the file holds. */
  readonly written?: JsonObject | undefined;
  /** No host may be reached: the web tools are not offered. */
  readonly withoutWeb?: boolean | undefined;
  /** Only servers of ours start. */
  readonly onlyOurServers?: boolean | undefined;
  /** Servers of the project that the caller allows by name. */
  readonly projectServers?: Readonly<Record<string, McpServerConfig>> | undefined;
}

/** Makes the home of an isolated run, and what else it needs. `run.close()` removes it. */
export async function isolateRun(
  run: Run<unknown>,
  isolation: IsolationConfig,
): Promise<RunSurroundings> {
  const { host, place, config, log } = run;
  const resolved = resolveIsolation(isolation, host.platform);
  const isolated = await prepareIsolation({
    isolation: resolved,
    cwd: place.cwd,
    addDirs: place.addDirs,
    outsideWorkspacePaths: config.client.outsideWorkspacePaths,
    platform: host.platform,
    hostEnv: host.env,
    hostHome: host.home,
    tempRoot: host.tempRoot,
    log,
  });
  run.isolated = isolated;
  run.recorder.proxy = isolated.proxy;
  return {
    env: isolated.env,
    settings: isolated.settingsPath,
    written: isolated.settings,
    withoutWeb: resolved.networkPolicy.effectiveDomains.length === 0,
  };
}
