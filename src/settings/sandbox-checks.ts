import { anything, type Check, flag, json, lenient, list, object, oneOf, text } from './checks.js';
import { STRICTEST_SANDBOX } from './managed-stand-ins.js';

const texts = list(text);

const NETWORK = {
  allowedDomains: texts,
  deniedDomains: texts,
  strictAllowlist: flag,
  allowManagedDomainsOnly: flag,
  allowUnixSockets: texts,
  allowAllUnixSockets: flag,
  allowLocalBinding: flag,
  allowMachLookup: texts,
  httpProxyPort: anything,
  socksProxyPort: anything,
  tlsTerminate: json,
};

const FILESYSTEM = {
  allowWrite: texts,
  denyWrite: texts,
  denyRead: texts,
  allowRead: texts,
  allowManagedReadPathsOnly: flag,
  disabled: flag,
};

const secret = (name: string): Check =>
  object({ [name]: text, mode: oneOf('deny', 'mask') }, { required: [name, 'mode'] });

const CREDENTIALS = {
  files: list(secret('path')),
  envVars: list(secret('name')),
  allowPlaintextInject: flag,
  awsPairs: list(json),
  sigv4: json,
};

const REST = {
  enabled: flag,
  failIfUnavailable: flag,
  autoAllowBashIfSandboxed: flag,
  allowUnsandboxedCommands: flag,
  ignoreViolations: json,
  enableWeakerNestedSandbox: flag,
  allowNestedUserNamespaces: flag,
  enableWeakerNetworkIsolation: flag,
  allowAppleEvents: flag,
  excludedCommands: texts,
  ripgrep: object({ command: text, args: texts }, { required: ['command'] }),
  bwrapPath: text,
  socatPath: text,
};

/** The `sandbox` key of a file. Unknown keys pass. */
export const sandbox = object({
  ...REST,
  network: object(NETWORK),
  filesystem: object(FILESYSTEM),
  credentials: object(CREDENTIALS),
});

/** The `sandbox` key of a policy: what cannot be used goes alone, and where that would open something it is closed. */
export const policySandbox = lenient(
  {
    ...REST,
    network: lenient(NETWORK, STRICTEST_SANDBOX.network),
    filesystem: lenient(FILESYSTEM, STRICTEST_SANDBOX.filesystem),
    credentials: lenient(CREDENTIALS, STRICTEST_SANDBOX.credentials),
  },
  { ...STRICTEST_SANDBOX, enabled: true },
);
