import { DriverFault, type DriverHello } from './driver-protocol.js';

/** What a driver can do. `call:METHOD` has a list of its own. */
const ABILITIES =
  `query query-stream client abort break pause stderr hooks can_use_tool elicitation dialog callback-abort
  parallel-callbacks mcp session_store session_store:seed session_store:callbacks sessions`.split(/\s+/);

/** Valid ways that an SDK may go, and limits that it may have: nobody must have one. */
const WAYS = `query:native query:client query:methods query:close messages:frames messages:ids messages:figures
  answers:shown
  callback:tool-use-id callback:permission-context callback:unknown-fields callback:in-order error:kinds
  mcp:manifests mcp:server-version
  mcp:annotations mcp:protocol-versions answer:tool-use-id agents:initialize agents:flag environment:node
  close:kills
  environment:version environment:replaced environment:merged system-prompt:initialize system-prompt:flag prompt:blocks
  prompt:text initialize initialize:pipelined initialize:awaited`.split(/\s+/);
const OPTIONS = `maxBufferBytes maxQueuedBytes initializeTimeoutMs controlTimeoutMs idleTimeoutMs deadlineMs exitGraceMs
  loadTimeoutMs incompleteStream onHookError`.split(/\s+/);

const METHODS =
  `accountInfo applyFlagSettings backgroundTasks cancelAsyncMessage getContextUsage getHooksListing getSettings
  initializationResult interrupt listPermissionRules mcpServerStatus readFile readMcpResource reconnectMcpServer reinitialize reloadOutputStyles reloadPlugins reloadSkills
  request rewindFiles seedReadState setMaxThinkingTokens setMcpPermissionModeOverride setMcpServers setModel
  setPermissionMode stopTask streamInput supportedAgents supportedCommands supportedModels toggleMcpServer
  updateSettings`.split(/\s+/);

const OF_DRIVERS: readonly string[] = [
  ...ABILITIES,
  ...WAYS,
  ...OPTIONS.map((name) => `option:${name}`),
  ...METHODS.map((name) => `call:${name}`),
];

/** Families of the ways, for those that later data adds. */
const CHOICES = ['option', ...new Set(WAYS.map((way) => way.split(':', 1).join()))];

/** True for a feature that says how an SDK does a thing, not that it can: a complete SDK may be without it. */
export function isChoice(feature: string): boolean {
  return WAYS.includes(feature) || (feature.includes(':') && CHOICES.includes(feature.split(':', 1).join()));
}

/**
 * A feature that nobody knows is a misspelling: its scenarios would be `unsupported`, and the run green.
 *
 * @param ofScenarios - Features that scenarios of the data name.
 * @throws DriverFault the hello names another one; the nearest known one is named.
 */
export function checkFeatures({ features }: DriverHello, ofScenarios: Iterable<string>): void {
  const known = new Set([...OF_DRIVERS, ...ofScenarios]);
  const unknown = features.filter((feature) => !known.has(feature));
  if (unknown.length === 0) return;
  const named = unknown.slice(0, MAX_NAMED).map((feature) => describeUnknown(feature, known));
  const more = unknown.length > named.length ? `, and ${unknown.length - named.length} more` : '';
  const what = unknown.length === 1 ? 'a feature' : 'features';
  throw new DriverFault(
    `the driver says in its hello that it has ${what} that the suite does not know: ${named.join(', ')}${more}`,
  );
}

const MAX_NAMED = 5;
const MAX_SHOWN = 60;

function describeUnknown(feature: string, known: ReadonlySet<string>): string {
  const what = JSON.stringify(feature.slice(0, MAX_SHOWN));
  const isMethod = feature.startsWith('call:') ? ', a method that no driver is asked for' : '';
  const nearest = nearestOf(feature, known);
  return `${what}${isMethod}${nearest === undefined ? '' : ` (did you mean ${JSON.stringify(nearest)}?)`}`;
}

/** The known feature that needs the fewest edits; `undefined` when even that one is another word. */
function nearestOf(feature: string, known: ReadonlySet<string>): string | undefined {
  const wanted = plain(feature.slice(0, MAX_SHOWN));
  const limit = Math.max(2, Math.floor(wanted.length / 3));
  const [best] = [...known]
    .map((name) => ({ name, distance: editDistance(wanted, plain(name)) }))
    .sort((a, b) => a.distance - b.distance);
  return best !== undefined && best.distance <= limit ? best.name : undefined;
}

/** `canUseTool`, `can-use-tool` and `can_use_tool` are one word to whoever writes it. */
function plain(feature: string): string {
  return feature.toLowerCase().replaceAll(/[-_]/g, '');
}

/** Insertions, deletions and replacements that make one text of the other. */
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + Number(from[i - 1] !== to[j - 1]);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}
