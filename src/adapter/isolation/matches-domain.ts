import { canonicalHost } from './host-name.js';
import type { NetworkPolicy } from './network-policy.js';

/** The names that `allowLocalhost` admits. */
const LOCALHOST: readonly string[] = ['localhost', '127.0.0.1'];

/** The part of a policy that says which hosts and ports are admitted. */
export type DomainRules = Pick<NetworkPolicy, 'allowedDomains' | 'allowedPorts' | 'allowLocalhost'>;

/** `null` admits every port, `[]` none. */
export function isPortAllowed({ allowedPorts }: DomainRules, port: number): boolean {
  return allowedPorts === null || allowedPorts.includes(port);
}

/**
 * `['*']` admits every host, `example.com` that host only, `*.example.com` any host below it and not itself.
 *
 * @param host - in any spelling; compared as `canonicalHost()` gives it
 */
export function isHostAllowed(policy: DomainRules, host: string): boolean {
  const name = canonicalHost(host);
  if (name === undefined) return false;
  if (policy.allowLocalhost && LOCALHOST.includes(name)) return true;
  return policy.allowedDomains.some((domain) => covers(domain, name));
}

/**
 * Whether a host may be an address of this machine: one of the two names of localhost, and the policy says
 * `allowLocalhost` or lists that very name. `['*']` does not.
 */
export function admitsLocalhost(policy: DomainRules, host: string): boolean {
  const name = canonicalHost(host);
  if (name === undefined || !LOCALHOST.includes(name)) return false;
  return (
    policy.allowLocalhost || policy.allowedDomains.some((each) => canonicalHost(each) === name)
  );
}

/** No rule of the policy can refuse anything. */
export function isUnrestricted({ allowedDomains, allowedPorts }: DomainRules): boolean {
  return allowedPorts === null && allowedDomains.includes('*');
}

function covers(domain: string, name: string): boolean {
  if (domain === '*') return true;
  if (!domain.startsWith('*.')) return canonicalHost(domain) === name;
  const parent = canonicalHost(domain.slice(2));
  return parent !== undefined && name.endsWith(`.${parent}`);
}
