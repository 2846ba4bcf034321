import type { JsonObject } from '../../util/json.js';
import { isBlocked } from '../hooks/pre-tool-use.js';
import { buildInlineSettings } from '../isolation/settings.js';
import type { Session } from '../state/index.js';
import type { AdapterConfig } from './adapter-config.js';

/** Settings of a run without isolation; `undefined` when there is nothing to say. */
export function inlineSettings(
  { client, bridgeName }: Pick<AdapterConfig, 'client' | 'bridgeName'>,
  session: Session,
): JsonObject | undefined {
  const settings = buildInlineSettings({
    sandbox: client.sandbox as JsonObject | undefined,
    outsideWorkspacePaths: client.outsideWorkspacePaths,
  });
  // Commands in the text of a skill are no calls, so no hook could deny them. Without settings files there are no such skills.
  const blocksShell =
    client.settingSources.length > 0 &&
    ['Bash', 'PowerShell'].some((shell) => isBlocked(session, shell, `mcp__${bridgeName}__`));
  return blocksShell ? { ...settings, disableSkillShellExecution: true } : settings;
}
