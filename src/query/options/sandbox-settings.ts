/** Every optional field may also be `undefined`, as in values that a schema library has parsed. */

/** Hosts and ports that sandboxed commands may reach. */
export type SandboxNetworkConfig = {
  allowedDomains?: string[] | undefined;
  deniedDomains?: string[] | undefined;
  strictAllowlist?: boolean | undefined;
  allowManagedDomainsOnly?: boolean | undefined;
  allowUnixSockets?: string[] | undefined;
  allowAllUnixSockets?: boolean | undefined;
  allowLocalBinding?: boolean | undefined;
  allowMachLookup?: string[] | undefined;
  httpProxyPort?: number | undefined;
  socksProxyPort?: number | undefined;
  tlsTerminate?: { caCertPath?: string | undefined; caKeyPath?: string | undefined } | undefined;
};

/** Paths that sandboxed commands may read and write. */
export type SandboxFilesystemConfig = {
  allowWrite?: string[] | undefined;
  denyWrite?: string[] | undefined;
  denyRead?: string[] | undefined;
  allowRead?: string[] | undefined;
  allowManagedReadPathsOnly?: boolean | undefined;
  disabled?: boolean | undefined;
};

/** What is hidden from, or masked for, sandboxed commands. */
export type SandboxCredentialRule = {
  mode: 'deny' | 'mask';
  extract?: string | undefined;
  onExtractNoMatch?: 'deny' | 'error' | 'warn' | undefined;
  decode?: 'jwt' | undefined;
  maskClaims?: string[] | undefined;
  injectHosts?: string[] | undefined;
};

export type SandboxCredentialsConfig = {
  files?:
    | (SandboxCredentialRule & { path: string; maskDuplicates?: boolean | undefined })[]
    | undefined;
  envVars?: (SandboxCredentialRule & { name: string })[] | undefined;
  allowPlaintextInject?: boolean | undefined;
  awsPairs?:
    | { accessKeyIdVar: string; secretAccessKeyVar: string; sessionTokenVar?: string | undefined }[]
    | undefined;
  sigv4?:
    | { [Kind in 'streaming' | 'presigned' | 'sigv4a']?: 'deny' | 'passthrough' | undefined }
    | undefined;
};

/** Paths whose violations are not reported, by command. */
export type SandboxIgnoreViolations = Record<string, string[]>;

/** The `sandbox` block of Claude Code's settings. Open: unknown keys reach the CLI. */
export type SandboxSettings = {
  /** Runs Bash commands in a sandbox. */
  enabled?: boolean | undefined;
  /** Whether a machine without the sandbox's helpers is an error. Without it commands run unprotected. @defaultValue true when `enabled` comes from the `sandbox` option */
  failIfUnavailable?: boolean | undefined;
  autoAllowBashIfSandboxed?: boolean | undefined;
  allowUnsandboxedCommands?: boolean | undefined;
  network?: SandboxNetworkConfig | undefined;
  filesystem?: SandboxFilesystemConfig | undefined;
  credentials?: SandboxCredentialsConfig | undefined;
  ignoreViolations?: SandboxIgnoreViolations | undefined;
  enableWeakerNestedSandbox?: boolean | undefined;
  allowNestedUserNamespaces?: boolean | undefined;
  enableWeakerNetworkIsolation?: boolean | undefined;
  allowAppleEvents?: boolean | undefined;
  excludedCommands?: string[] | undefined;
  ripgrep?: { command: string; args?: string[] | undefined } | undefined;
  bwrapPath?: string | undefined;
  socatPath?: string | undefined;
  [setting: string]: unknown;
};
