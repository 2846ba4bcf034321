import { isIP } from 'node:net';
import { domainToASCII } from 'node:url';
import { describeValue } from '../../util/describe-value.js';
import { AdapterConfigError } from '../errors/config-errors.js';
import { readFields } from '../options/read-fields.js';

/** Which hosts tools may reach. See {@link NetworkPolicy}. */
export interface NetworkPolicyOptions {
  /**
   * `example.com` is that host only; `*.example.com` any host below it, at every depth, not itself; `['*']` all. Case does
   * not matter. @defaultValue `[]`
   */
  readonly allowedDomains?: readonly string[];
  /**
   * `localhost` and `127.0.0.1` count as allowed. On Linux a sandboxed command reaches them only through the proxy it is given
   * (`curl --noproxy ''`). @defaultValue `false`
   */
  readonly allowLocalhost?: boolean;
  /** `true`: all; a list: these paths, which acts on macOS only. @defaultValue `false` */
  readonly allowUnixSockets?: boolean | readonly string[];
  /** `null`: any port of an allowed host; `[]`: nothing at all. @defaultValue `null` */
  readonly allowedPorts?: readonly number[] | null;
}

const FIELDS = ['allowedDomains', 'allowLocalhost', 'allowUnixSockets', 'allowedPorts'] as const;
const LOCALHOST = ['localhost', '127.0.0.1'];
const HOST =
  /^(?:\*\.)?[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*$/i;

/**
 * What tools may reach: shell commands by the sandbox, WebFetch and WebSearch by a hook. The CLI's own connection to the API,
 * its question to a preflight host before a WebFetch, and in-process tools are not subject to it.
 *
 * @throws {@link AdapterConfigError} a value that cannot be used, or two that contradict each other.
 */
export class NetworkPolicy implements Required<NetworkPolicyOptions> {
  readonly allowedDomains: readonly string[];
  readonly allowLocalhost: boolean;
  readonly allowUnixSockets: boolean | readonly string[];
  readonly allowedPorts: readonly number[] | null;

  constructor(options: NetworkPolicyOptions = {}) {
    const read = readFields(options, 'networkPolicy', FIELDS);
    this.allowedDomains = read.list('allowedDomains', domainFault);
    this.allowLocalhost = read.boolean('allowLocalhost', false);
    this.allowUnixSockets =
      typeof options.allowUnixSockets === 'object'
        ? read.list('allowUnixSockets', pathFault)
        : read.boolean('allowUnixSockets', false);
    this.allowedPorts =
      options.allowedPorts === null || options.allowedPorts === undefined
        ? null
        : read.list<number>('allowedPorts', portFault);
    this.#refuseContradictions();
    Object.freeze(this);
  }

  /** Tools reach nothing. */
  static noNetwork(): NetworkPolicy {
    return withDomains();
  }

  /** Tools reach `api.anthropic.com` only. */
  static apiOnly(): NetworkPolicy {
    return withDomains('api.anthropic.com');
  }

  /** Tools reach these hosts only. */
  static withDomains(...allowedDomains: string[]): NetworkPolicy {
    return withDomains(...allowedDomains);
  }

  /** Every host is allowed; ports may still be limited. */
  get isUnrestricted(): boolean {
    return this.effectiveDomains.includes('*');
  }

  /** The list that is written and enforced: empty when no port is allowed, with the names of this machine when those are. */
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

/** Outside the class: a class that names itself inside is renamed by the bundler. */
function withDomains(...allowedDomains: string[]): NetworkPolicy {
  return new NetworkPolicy({ allowedDomains });
}

function domainFault(value: unknown): string | undefined {
  if (typeof value !== 'string') return 'must be a host name';
  if (value === '*' || HOST.test(value) || isIP(value) !== 0) return undefined;
  const ascii = domainToASCII(value);
  if (ascii !== '' && HOST.test(ascii))
    return `must be written in ASCII, as ${JSON.stringify(ascii)}`;
  return "must be a host name such as 'example.com' or '*.example.com', without scheme, port or path";
}

function portFault(value: unknown): string | undefined {
  const isPort =
    typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 65535;
  return isPort ? undefined : 'must be a whole number from 1 to 65535';
}

function pathFault(value: unknown): string | undefined {
  const isPath = typeof value === 'string' && value.startsWith('/') && !value.includes('\0');
  return isPath ? undefined : 'must be an absolute path';
}

/** `networkPolicy` of a configuration: an instance, also one of another copy of this package, or its options. */
export function toNetworkPolicy(value: unknown, where: string): NetworkPolicy {
  if (value === undefined || value === null) return NetworkPolicy.noNetwork();
  if (value instanceof NetworkPolicy) return value;
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw new AdapterConfigError(
      `\`${where}\` must be a NetworkPolicy or its options, not ${describeValue(value)}`,
      [where],
    );
  }
  return new NetworkPolicy(value);
}
