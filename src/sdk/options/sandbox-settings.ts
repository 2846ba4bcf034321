/** Hosts and ports that sandboxed commands may reach. */
export interface SandboxNetworkSettings {
  allowedDomains?: string[];
  deniedDomains?: string[];
  strictAllowlist?: boolean;
  allowManagedDomainsOnly?: boolean;
  allowUnixSockets?: string[];
  allowAllUnixSockets?: boolean;
  allowLocalBinding?: boolean;
  allowMachLookup?: string[];
  httpProxyPort?: number;
  socksProxyPort?: number;
  tlsTerminate?: { caCertPath?: string; caKeyPath?: string };
}

/** Paths that sandboxed commands may read and write. */
export interface SandboxFilesystemSettings {
  allowWrite?: string[];
  denyWrite?: string[];
  denyRead?: string[];
  allowRead?: string[];
  allowManagedReadPathsOnly?: boolean;
  disabled?: boolean;
}

/** What is hidden from, or masked for, sandboxed commands. */
export interface SandboxCredentialRule {
  mode: 'deny' | 'mask';
  extract?: string;
  onExtractNoMatch?: 'deny' | 'error' | 'warn';
  decode?: 'jwt';
  maskClaims?: string[];
  injectHosts?: string[];
}

export interface SandboxCredentialSettings {
  files?: (SandboxCredentialRule & { path: string; maskDuplicates?: boolean })[];
  envVars?: (SandboxCredentialRule & { name: string })[];
  allowPlaintextInject?: boolean;
  awsPairs?: { accessKeyIdVar: string; secretAccessKeyVar: string; sessionTokenVar?: string }[];
  sigv4?: Partial<Record<'streaming' | 'presigned' | 'sigv4a', 'deny' | 'passthrough'>>;
}

/** The `sandbox` block of Claude Code's settings. Open: unknown keys reach the CLI. */
export interface SandboxSettings {
  /** Runs Bash commands in a sandbox. */
  enabled?: boolean;
  /** Whether a machine without the sandbox's helpers is an error. Without it commands run unprotected. @defaultValue true when `enabled` comes from the `sandbox` option */
  failIfUnavailable?: boolean;
  autoAllowBashIfSandboxed?: boolean;
  allowUnsandboxedCommands?: boolean;
  network?: SandboxNetworkSettings;
  filesystem?: SandboxFilesystemSettings;
  credentials?: SandboxCredentialSettings;
  ignoreViolations?: Record<string, string[]>;
  enableWeakerNestedSandbox?: boolean;
  allowNestedUserNamespaces?: boolean;
  enableWeakerNetworkIsolation?: boolean;
  allowAppleEvents?: boolean;
  excludedCommands?: string[];
  ripgrep?: { command: string; args?: string[] };
  bwrapPath?: string;
  socatPath?: string;
  [setting: string]: unknown;
}
