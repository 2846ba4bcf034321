import type { CheckReport } from '../check/check-report.js';
import type { CheckWays } from '../check/check-ways.js';
import { resolveIsolation } from '../isolation/isolation-config.js';
import type { AdapterConfig } from './adapter-config.js';
import { executableOf } from './executable-of.js';

/** The self-test of an adapter. */
export async function selfTest(config: AdapterConfig, ways?: CheckWays): Promise<CheckReport> {
  const { client, clock, sandboxProbe: probe } = config;
  const { env: hostEnv, home: hostHome, platform, uid, tempRoot } = config.host();
  const [{ checkAdapter }, runtime] = await Promise.all([
    import('../check/check-adapter.js'),
    config.loadRuntime(),
  ]);
  const { isolation } = client;
  return checkAdapter({
    runtime,
    pathToClaudeCodeExecutable: executableOf(client, hostEnv),
    permissionMode: client.permissionMode,
    isolation: isolation === undefined ? undefined : resolveIsolation(isolation, platform),
    env: client.env,
    cwd: client.cwd,
    addDirs: client.addDirs,
    outsideWorkspacePaths: client.outsideWorkspacePaths,
    ...{ platform, uid, hostEnv, hostHome, tempRoot, clock, probe, ways },
  });
}
