import type { JsonObject } from '../util/json.js';

/**
 * What stands in for a policy value that cannot be used: the strictest one, so that a typing error in a policy does not
 * open what it was to close. Other keys just go.
 */

/** Switches with their strict value. The `managedSettings` of a program may set them, too. */
export const SWITCHES = {
  allowManagedHooksOnly: true,
  allowManagedMcpServersOnly: true,
  allowManagedPermissionRulesOnly: true,
  disableAgentView: true,
  disableArtifact: true,
  disableClaudeAiConnectors: true,
  disableCommandPluginSources: true,
  disableRemoteControl: true,
  disableSideloadFlags: true,
  disableSkillShellExecution: true,
  disableWindowsBashCommandSplit: true,
  disableWorkflows: true,
  enableArtifact: false,
  enableWorkflows: false,
  enforceAvailableModels: true,
  syncClaudeAiPlugins: false,
  syncClaudeAiSkills: false,
};

/** Those that only an administrator may set. */
export const ADMIN_SWITCHES = {
  autoContinueAtUsageLimit: false,
  autoUploadSessions: false,
  channelsEnabled: false,
  disableBundledSkills: true,
  enableAllProjectMcpServers: false,
  fastModePerSessionOptIn: true,
  isolatePeerMachines: true,
  remoteControlAtStartup: false,
  skipAutoPermissionPrompt: false,
  skipDangerousModePermissionPrompt: false,
  skipWebFetchPreflight: false,
  useAutoModeDuringPlan: false,
};

/** The `permissions` of a policy whose own are no object. */
export const STRICTEST_PERMISSIONS = {
  disableBypassPermissionsMode: 'disable',
  disableAutoMode: 'disable',
  blockReadsOutsideWorkingDirectories: true,
  blockWritesOutsideWorkingDirectories: true,
  denyInsteadOfPrompting: true,
};

/** The `sandbox` of a policy whose own is no object. */
export const STRICTEST_SANDBOX = {
  autoAllowBashIfSandboxed: false,
  allowUnsandboxedCommands: false,
  network: {
    strictAllowlist: true,
    allowManagedDomainsOnly: true,
    allowAllUnixSockets: false,
    allowLocalBinding: false,
  },
  filesystem: { allowManagedReadPathsOnly: true, disabled: false },
  credentials: { allowPlaintextInject: false, sigv4: { streaming: 'deny', presigned: 'deny', sigv4a: 'deny' } },
  windows: { backend: 'sandboxuser' },
  enableWeakerNestedSandbox: false,
  allowNestedUserNamespaces: false,
  enableWeakerNetworkIsolation: false,
  allowAppleEvents: false,
};

/** By key. */
export const STAND_INS: Readonly<Record<string, unknown>> = {
  ...SWITCHES,
  ...ADMIN_SWITCHES,
  // Lists of what is allowed.
  availableModels: [],
  allowedHttpHookUrls: [],
  httpHookAllowedEnvVars: [],
  allowedMcpServers: [],
  allowedProviders: [],
  allowedChannelPlugins: [],
  strictKnownMarketplaces: [],
  forceLoginOrgUUID: [],
  availableModelsMatch: 'exact',
  strictPluginOnlyCustomization: true,
  disableAutoMode: 'disable',
  disableDeepLinkRegistration: 'disable',
  crossSessionInbound: 'refuse',
  feedbackDrafts: 'off',
  attribution: { sessionUrl: false },
  worktree: { bgIsolation: 'worktree' },
  autoMode: { classifyAllShell: true },
  permissions: STRICTEST_PERMISSIONS,
  sandbox: STRICTEST_SANDBOX,
};

/** Makes something for each switch in a table of strict values: for those that are `true`, `false` or `disable`. */
export function eachSwitch<Made>(table: JsonObject, make: (strict: boolean | 'disable') => Made): Record<string, Made> {
  const entries = Object.entries(table).flatMap(([key, strict]) =>
    typeof strict === 'boolean' || strict === 'disable' ? [[key, make(strict)] as const] : [],
  );
  return Object.fromEntries(entries);
}
