import type { CLIVersionError } from '../../errors.js';
import { createMcpEndpointFactory } from '../../mcp/endpoint-factory.js';
import { VERSION } from '../../version.js';
import { planLaunch } from '../launch/plan-launch.js';
import type { Options } from '../options.js';
import { refusalOf } from './refusal.js';

/** Why `query()` would refuse a run with these options on a release of the CLI. `undefined`: it would not. @internal */
export function judgeRelease(release: string, options: Options): CLIVersionError | undefined {
  const plan = planLaunch(options, {
    env: {},
    platform: process.platform,
    sdkVersion: VERSION,
    front: 'query',
    prompt: 'none',
    createMcpEndpointFactory,
  });
  return refusalOf(release, plan);
}
