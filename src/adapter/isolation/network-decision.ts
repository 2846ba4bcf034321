import { isJsonObject, type JsonObject } from '../../util/json.js';
import { parseUrl } from './host-name.js';
import { isHostAllowed, isPortAllowed, isUnrestricted } from './matches-domain.js';
import type { NetworkPolicy } from './network-policy.js';

export type NetworkDecision =
  | { readonly allowed: true }
  | { readonly allowed: false; readonly reason: string };

const ALLOWED: NetworkDecision = { allowed: true };
const DEFAULT_PORTS: Readonly<Record<string, number>> = {
  'http:': 80,
  'https:': 443,
  'ws:': 80,
  'wss:': 443,
};
/** The CLI fetches an `http` URL with `https`, so that port 80 becomes 443. */
const TAKEN_AS: Readonly<Record<string, string>> = { 'http:': 'https:' };

/** Where tools that run in the CLI itself say what they connect to. `undefined` from such a tool: it connects to nothing. */
const TARGETS: Readonly<Record<string, (input: JsonObject) => unknown>> = {
  WebFetch: (input) => input.url ?? '',
  Monitor: ({ ws }) =>
    ws === undefined || ws === null ? undefined : isJsonObject(ws) ? (ws.url ?? '') : '',
};
/** They work on the vendor's own service, with the account that the CLI is logged in with. */
const VENDOR_TOOLS = ['Artifact', 'ClaudeDesign', 'Projects', 'RemoteTrigger', 'SendFeedback'];
const VENDOR_HOST = 'claude.ai';

/**
 * What the policy says to a call of a tool that reaches the network from the CLI itself: no sandbox holds these, so the hook
 * does. Shell commands, file tools and MCP tools are allowed here.
 *
 * @param toolInput - as the model gave it; nothing about it is trusted
 */
export function networkDecision(
  policy: NetworkPolicy,
  toolName: string,
  toolInput: JsonObject,
): NetworkDecision {
  if (toolName === 'WebSearch') return searchDecision(policy);
  if (isUnrestricted(policy)) return ALLOWED;
  if (VENDOR_TOOLS.includes(toolName))
    return urlDecision(policy, toolName, `https://${VENDOR_HOST}/`);
  const target = Object.hasOwn(TARGETS, toolName) ? TARGETS[toolName]?.(toolInput) : undefined;
  return target === undefined ? ALLOWED : urlDecision(policy, toolName, target);
}

function searchDecision({ allowedDomains, allowedPorts }: NetworkPolicy): NetworkDecision {
  if (allowedDomains.length > 0 && allowedPorts?.length !== 0) return ALLOWED;
  return denied('WebSearch is not allowed: the network policy lists no domain');
}

function urlDecision(policy: NetworkPolicy, toolName: string, given: unknown): NetworkDecision {
  const url = typeof given === 'string' ? parseUrl(given) : undefined;
  if (url === undefined || !(url.protocol in DEFAULT_PORTS)) {
    return denied(
      `${toolName} needs a whole URL, such as https://example.com/, under the network policy`,
    );
  }
  if (!isHostAllowed(policy, url.hostname)) {
    return denied(`The network policy does not list the host ${url.hostname}`);
  }
  const refused = portsOf(url).find((port) => !isPortAllowed(policy, port));
  if (refused !== undefined) return denied(`The network policy does not list port ${refused}`);
  return ALLOWED;
}

/** What the URL says, and where the CLI goes. */
function portsOf({ port, protocol }: URL): readonly number[] {
  if (port !== '') return [Number(port)];
  return [protocol, TAKEN_AS[protocol] ?? protocol].map((each) => DEFAULT_PORTS[each] ?? 0);
}

const denied = (reason: string): NetworkDecision => ({ allowed: false, reason });
