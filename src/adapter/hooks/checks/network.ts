import { networkDecision } from '../../isolation/network-decision.js';
import { type Check, deny } from './check.js';

/** The CLI's web tools run outside of any sandbox, so the policy holds for them here or nowhere. */
export const checkNetwork: Check = ({ toolName, toolInput }, { isolation }) => {
  if (isolation === undefined) return undefined;
  const decision = networkDecision(isolation.networkPolicy, toolName, toolInput);
  return decision.allowed ? undefined : deny(decision.reason);
};
