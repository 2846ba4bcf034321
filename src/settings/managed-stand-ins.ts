/**
 * What stands in for a policy value that cannot be used: the strictest one, so that a typing error in a policy
 * does not open what it was to close. Other keys just go.
 */

const OFF = [
  'syncClaudeAiSkills',
  'syncClaudeAiPlugins',
  'enableAllProjectMcpServers',
  'enableArtifact',
  'enableWorkflows',
  'skipWebFetchPreflight',
  'channelsEnabled',
  'skipDangerousModePermissionPrompt',
  'autoContinueAtUsageLimit',
  'remoteControlAtStartup',
  'autoUploadSessions',
  'skipAutoPermissionPrompt',
  'useAutoModeDuringPlan',
];

const ON = [
  'enforceAvailableModels',
  'disableClaudeAiConnectors',
  'disableBundledSkills',
  'disableAgentView',
  'disableRemoteControl',
  'disableWorkflows',
  'disableArtifact',
  'disableSkillShellExecution',
  'disableWindowsBashCommandSplit',
  'allowManagedHooksOnly',
  'allowManagedPermissionRulesOnly',
  'allowManagedMcpServersOnly',
  'disableCommandPluginSources',
  'disableSideloadFlags',
  'fastModePerSessionOptIn',
  'isolatePeerMachines',
  'strictPluginOnlyCustomization',
];

const NOTHING_ALLOWED = [
  'availableModels',
  'allowedHttpHookUrls',
  'httpHookAllowedEnvVars',
  'allowedMcpServers',
  'allowedProviders',
  'allowedChannelPlugins',
  'strictKnownMarketplaces',
  'forceLoginOrgUUID',
];

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
  credentials: {
    allowPlaintextInject: false,
    sigv4: { streaming: 'deny', presigned: 'deny', sigv4a: 'deny' },
  },
  windows: { backend: 'sandboxuser' },
  enableWeakerNestedSandbox: false,
  allowNestedUserNamespaces: false,
  enableWeakerNetworkIsolation: false,
  allowAppleEvents: false,
};

/** By key. */
export const STAND_INS: Readonly<Record<string, unknown>> = {
  ...Object.fromEntries(OFF.map((key) => [key, false])),
  ...Object.fromEntries(ON.map((key) => [key, true])),
  ...Object.fromEntries(NOTHING_ALLOWED.map((key) => [key, []])),
  availableModelsMatch: 'exact',
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
