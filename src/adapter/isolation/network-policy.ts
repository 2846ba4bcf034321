import { isIP, isIPv6 } from 'node:net';
import { domainToASCII } from 'node:url';
import { describeValue } from '../../util/describe-value.js';
import { isJsonObject, type JsonObject } from '../../util/json.js';
import { arrayOf, boolean, custom, nullOr, problemOf, type Validator } from '../../util/validate.js';
import { AdapterConfigError } from '../errors/adapter-error.js';
import { checkFields, frozen } from '../options/read-fields.js';

/** Which hosts tools may reach. See {@link NetworkPolicy}. */
export interface NetworkPolicyOptions {
  /**
   * `example.com` is that host only. `*.example.com` is any host below it, at every depth, but not itself. `['*']` is
   * all hosts. Case does not matter. @defaultValue `[]`
   */
  readonly allowedDomains?: readonly string[];
  /**
   * Allows `localhost` and `127.0.0.1`. On Linux a sandboxed command reaches them only through its proxy (`curl
   * --noproxy ''`).
   * @defaultValue `false`
   */
  readonly allowLocalhost?: boolean;
  /** `true`: all sockets. A list: these paths, on macOS only. @defaultValue `false` */
  readonly allowUnixSockets?: boolean | readonly string[];
  /** `null`: any port of an allowed host. `[]`: nothing at all. @defaultValue `null` */
  readonly allowedPorts?: readonly number[] | null;
}

/** The names that `allowLocalhost` admits. */
const LOCALHOST: readonly string[] = ['localhost', '127.0.0.1'];
const HOST = /^(?:\*\.)?[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*$/i;

const domain: Validator = (value, path) => {
  if (typeof value !== 'string') return problemOf(path, 'a host name', value);
  if (value === '*' || HOST.test(value) || isIP(value) !== 0) return undefined;
  const ascii = domainToASCII(value);
  const isName = ascii !== '' && HOST.test(ascii);
  const example = "a host name such as 'example.com' or '*.example.com', without scheme, port or path";
  return problemOf(path, isName ? `written in ASCII, as ${JSON.stringify(ascii)}` : example, value);
};
const absolutePath = custom(
  'an absolute path',
  (value) => typeof value === 'string' && value.startsWith('/') && !value.includes('\0'),
);
const port = custom('a whole number from 1 to 65535', (value) => typeof value === 'number' && isPort(value));
const FIELDS: Readonly<Record<keyof NetworkPolicyOptions, Validator>> = {
  allowedDomains: nullOr(arrayOf(domain)),
  allowLocalhost: nullOr(boolean),
  allowUnixSockets: nullOr((value, path) => (typeof value === 'object' ? arrayOf(absolutePath) : boolean)(value, path)),
  allowedPorts: nullOr(arrayOf(port)),
};

export function isPort(value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= 65_535;
}

/**
 * Which hosts tools may reach. The sandbox enforces it for shell commands, a hook for WebFetch and WebSearch. It does
 * not limit the CLI's own connection to the API, its preflight request before a WebFetch, and in-process tools.
 * @throws {@link AdapterConfigError} an invalid value, or two that contradict each other.
 */
export class NetworkPolicy implements Required<NetworkPolicyOptions> {
  readonly allowedDomains: readonly string[];
  readonly allowLocalhost: boolean;
  readonly allowUnixSockets: boolean | readonly string[];
  readonly allowedPorts: readonly number[] | null;

  constructor(options: NetworkPolicyOptions = {}) {
    checkFields(options, 'networkPolicy', FIELDS);
    const { allowedDomains, allowLocalhost, allowUnixSockets, allowedPorts = null } = options;
    this.allowedDomains = frozen(allowedDomains);
    this.allowLocalhost = allowLocalhost ?? false;
    this.allowUnixSockets =
      typeof allowUnixSockets === 'object' ? frozen(allowUnixSockets) : (allowUnixSockets ?? false);
    this.allowedPorts = allowedPorts === null ? null : frozen(allowedPorts);
    this.#refuseContradictions();
    Object.freeze(this);
  }

  /** Tools reach nothing. */
  static noNetwork(): NetworkPolicy {
    return new NetworkPolicy();
  }

  /** Tools reach `api.anthropic.com` only. */
  static apiOnly(): NetworkPolicy {
    return new NetworkPolicy({ allowedDomains: ['api.anthropic.com'] });
  }

  /** Tools reach these hosts only. */
  static withDomains(...allowedDomains: string[]): NetworkPolicy {
    return new NetworkPolicy({ allowedDomains });
  }

  /** Every host is allowed. Ports can still be limited. */
  get isUnrestricted(): boolean {
    return this.effectiveDomains.includes('*');
  }

  /** The enforced list: empty when no port is allowed, with the names of this machine under `allowLocalhost`. */
  get effectiveDomains(): readonly string[] {
    if (this.allowedPorts?.length === 0) return [];
    if (!this.allowLocalhost || this.allowedDomains.includes('*')) return this.allowedDomains;
    return [...new Set([...this.allowedDomains, ...LOCALHOST])];
  }

  #refuseContradictions(): void {
    if (this.allowedDomains.includes('*') && this.allowedDomains.length > 1) {
      throw new AdapterConfigError(
        "`networkPolicy.allowedDomains` has '*', which allows every host, beside other entries",
        ['networkPolicy.allowedDomains'],
        { hint: "Give ['*'] alone, or leave '*' out." },
      );
    }
    if (this.allowLocalhost && this.allowedPorts?.length === 0) {
      throw new AdapterConfigError(
        '`networkPolicy.allowedPorts` is [], which blocks everything, and `allowLocalhost` is true',
        ['networkPolicy.allowedPorts', 'networkPolicy.allowLocalhost'],
        { hint: 'Name the ports, or leave `allowLocalhost` out.' },
      );
    }
  }
}

/** Accepts a policy, also one of another copy of this package, or its options. */
export function toNetworkPolicy(value: unknown, where: string): NetworkPolicy {
  if (value === undefined || value === null) return NetworkPolicy.noNetwork();
  if (value instanceof NetworkPolicy) return value;
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw new AdapterConfigError(`\`${where}\` must be a NetworkPolicy or its options, not ${describeValue(value)}`, [
      where,
    ]);
  }
  return new NetworkPolicy(value);
}

/** The part of a policy about hosts and ports. */
export type DomainRules = Pick<NetworkPolicy, 'allowedDomains' | 'allowedPorts' | 'allowLocalhost'>;

/** `null` admits every port, `[]` none. */
export function isPortAllowed({ allowedPorts }: DomainRules, port: number): boolean {
  return allowedPorts === null || allowedPorts.includes(port);
}

/**
 * `['*']` admits every host, `example.com` that host only, `*.example.com` any host below it but not itself.
 * @param host - In any spelling. `canonicalHost()` spells it for the comparison.
 */
export function isHostAllowed(policy: DomainRules, host: string): boolean {
  const name = canonicalHost(host);
  if (name === undefined) return false;
  if (policy.allowLocalhost && LOCALHOST.includes(name)) return true;
  return policy.allowedDomains.some((domain) => covers(domain, name));
}

/**
 * Whether a host may be an address of this machine: it is one of the two names of localhost, and the policy has
 * `allowLocalhost` or lists that name. `['*']` is not enough.
 */
export function admitsLocalhost(policy: DomainRules, host: string): boolean {
  const name = canonicalHost(host);
  if (name === undefined || !LOCALHOST.includes(name)) return false;
  return policy.allowLocalhost || policy.allowedDomains.some((each) => canonicalHost(each) === name);
}

/** True when the policy refuses nothing. */
function isUnrestricted({ allowedDomains, allowedPorts }: DomainRules): boolean {
  return allowedPorts === null && allowedDomains.includes('*');
}

function covers(domain: string, name: string): boolean {
  if (domain === '*') return true;
  if (!domain.startsWith('*.')) return canonicalHost(domain) === name;
  const parent = canonicalHost(domain.slice(2));
  return parent !== undefined && name.endsWith(`.${parent}`);
}

type NetworkDecision = { readonly allowed: true } | { readonly allowed: false; readonly reason: string };

const ALLOWED: NetworkDecision = { allowed: true };
const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443, 'ws:': 80, 'wss:': 443 };
/** The CLI fetches an `http` URL with `https`, so port 80 becomes 443. */
const TAKEN_AS: Readonly<Record<string, string>> = { 'http:': 'https:' };

/** The target in the input of tools that run in the CLI itself. `undefined`: the call connects to nothing. */
const TARGETS: Readonly<Record<string, (input: JsonObject) => unknown>> = {
  WebFetch: (input) => input.url ?? '',
  Monitor: ({ ws }) => (ws === undefined || ws === null ? undefined : isJsonObject(ws) ? (ws.url ?? '') : ''),
};
/** Tools for the vendor's own service, with the account of the CLI. */
const VENDOR_TOOLS = ['Artifact', 'ClaudeDesign', 'Projects', 'RemoteTrigger', 'SendFeedback'];
const VENDOR_HOST = 'claude.ai';

/**
 * Decides about a call of a tool that reaches the network from the CLI itself. The sandbox does not limit these, so a
 * hook does. Shell commands, file tools and MCP tools are allowed here.
 * @param toolInput - As the model gave it. Nothing in it is trusted.
 */
export function networkDecision(policy: NetworkPolicy, toolName: string, toolInput: JsonObject): NetworkDecision {
  if (toolName === 'WebSearch') return searchDecision(policy);
  if (isUnrestricted(policy)) return ALLOWED;
  if (VENDOR_TOOLS.includes(toolName)) return urlDecision(policy, toolName, `https://${VENDOR_HOST}/`);
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
    return denied(`${toolName} needs a whole URL, such as https://example.com/, under the network policy`);
  }
  if (!isHostAllowed(policy, url.hostname)) return denied(`The network policy does not list the host ${url.hostname}`);
  const refused = portsOf(url).find((port) => !isPortAllowed(policy, port));
  if (refused !== undefined) return denied(`The network policy does not list port ${refused}`);
  return ALLOWED;
}

/** The port of the URL, and the one that the CLI uses. */
function portsOf({ port, protocol }: URL): readonly number[] {
  if (port !== '') return [Number(port)];
  return [protocol, TAKEN_AS[protocol] ?? protocol].map((each) => DEFAULT_PORTS[each] ?? 0);
}

const denied = (reason: string): NetworkDecision => ({ allowed: false, reason });

/** Characters that end a host for a URL parser, or that it drops. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const NOT_IN_A_HOST = /[\u0000-\u0020\u007f/\\?#@%:[\]*]/;
const MAX_NAME_LENGTH = 253;

/**
 * The one spelling for comparing hosts: lower case, punycode, IPv4 in four decimals (`0x7f.1` becomes `127.0.0.1`),
 * IPv6 compressed and without brackets, no dot at the end. Connections go to this spelling too, so that the compared
 * host and the reached one cannot differ.
 * @returns `undefined` when the text is not a host
 */
export function canonicalHost(text: string): string | undefined {
  const inner = text.startsWith('[') && text.endsWith(']') ? text.slice(1, -1) : undefined;
  const isAddress = isIPv6(inner ?? text);
  if (inner !== undefined && !isAddress) return undefined;
  if (!isAddress && NOT_IN_A_HOST.test(text)) return undefined;
  // A zone (`fe80::1%eth0`) passes `isIPv6` and fails here.
  const parsed = parseUrl(isAddress ? `http://[${inner ?? text}]/` : `http://${text}/`);
  if (parsed === undefined) return undefined;
  if (isAddress) return parsed.hostname.slice(1, -1);
  const name = parsed.hostname.endsWith('.') ? parsed.hostname.slice(0, -1) : parsed.hostname;
  const isName = name !== '' && name.length <= MAX_NAME_LENGTH;
  return isName && !name.split('.').includes('') ? name : undefined;
}

/** A host as written in a URL: an IPv6 address has brackets. */
export function hostInUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}
