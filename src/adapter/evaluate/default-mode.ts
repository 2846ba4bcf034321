import { warnOnce } from '../../util/warn-once.js';
import type { Log } from '../logging/log.js';
import type { AdapterConfig } from './adapter-config.js';

const MESSAGE =
  'Every tool call is approved on this machine: `permissionMode` was left out, which means `bypassPermissions`, and there is no `isolation`.';
const CURE =
  "Set `clientConfig.permissionMode` ('default' denies what nobody allowed; 'bypassPermissions' says that it is meant), or `clientConfig.isolation`.";

/** What the report of a run says of a mode that nobody chose. */
export function defaultModeWarnings({ client }: AdapterConfig): readonly string[] {
  const isSilent = client.isModeChosen || client.isolation !== undefined;
  return isSilent ? [] : [`${MESSAGE} ${CURE}`];
}

/** Says it to whoever runs the process, once, and to the logger. */
export function warnOfDefaultMode(config: AdapterConfig, log: Log): void {
  const [message] = defaultModeWarnings(config);
  if (message === undefined) return;
  warnOnce({ message, code: 'CLAUDE_SDK_BYPASS_BY_DEFAULT' });
  log.warn('config.bypass_by_default', { hint: CURE });
}
