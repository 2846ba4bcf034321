interface Repository {
  /** A branch, a tag or a commit. */
  ref?: string;
  /** Of the marketplace file in it. */
  path?: string;
  sparsePaths?: string[];
  skipLfs?: boolean;
}

interface NpmPackage {
  source: 'npm';
  package: string;
  version?: string;
  registry?: string;
}

interface RequestHeaders {
  headers?: { [name: string]: string };
  /** A command that prints the headers as JSON. */
  headersHelper?: string;
}

/** A commit, by name and by hash. */
interface Pinned {
  ref?: string;
  sha?: string;
}

/** Where a plugin of a marketplace comes from. A string is a path within the marketplace. */
export type PluginSource =
  | string
  | NpmPackage
  | ({ source: 'url'; url: string } & Pinned)
  | ({ source: 'github'; repo: string } & Pinned)
  | ({ source: 'git-subdir'; url: string; path: string } & Pinned)
  | { source: 'archive'; url: string; sha256?: string }
  | { source: 'command'; command: string; timeout?: number; mode?: 'copy' | 'link' }
  | { source: 'unsupported'; error?: string };

/** Where a marketplace comes from, told apart by `source`. */
export type MarketplaceSource =
  | ({ source: 'url'; url: string } & RequestHeaders)
  | ({ source: 'github'; repo: string } & Repository)
  | ({ source: 'git'; url: string } & Repository)
  | NpmPackage
  | { source: 'file'; path: string }
  | { source: 'directory'; path: string }
  | { source: 'skills-dir' }
  | { source: 'hostPattern'; hostPattern: string }
  | { source: 'pathPattern'; pathPattern: string }
  | {
      /** Written out in the settings. */
      source: 'settings';
      name: string;
      plugins: ({
        name: string;
        source: PluginSource;
        description?: string;
        version?: string;
        strict?: boolean;
        engines?: { [engine: string]: unknown };
      } & RequestHeaders)[];
      owner?: { name: string; email?: string; url?: string };
    };

/** Marketplaces by name. */
export interface MarketplaceSettings {
  [marketplace: string]: {
    source: MarketplaceSource;
    installLocation?: string;
    autoUpdate?: boolean;
    pluginDigests?: { [plugin: string]: string[] };
  };
}

/** The values a plugin's own options take. */
interface PluginOptions {
  [option: string]: string | number | boolean | string[];
}

/** Plugins, their marketplaces, and what a policy allows of them. */
export interface PluginSettings {
  /** By `plugin@marketplace`. */
  enabledPlugins?: { [plugin: string]: string[] | boolean | { [key: string]: unknown } };
  prependPlugins?: string[];
  appendPlugins?: string[];
  pluginConfigs?: {
    [plugin: string]:
      | { mcpServers?: { [server: string]: PluginOptions }; options?: PluginOptions }
      | { [key: string]: unknown };
  };
  extraKnownMarketplaces?: MarketplaceSettings;
  additionalMarketplaces?: MarketplaceSettings;
  /** Policy: only these. */
  strictKnownMarketplaces?: MarketplaceSource[];
  allowedMarketplaces?: MarketplaceSource[];
  blockedMarketplaces?: MarketplaceSource[];
  pluginSuggestionMarketplaces?: string[];
  disableCommandPluginSources?: boolean;
  disableSideloadFlags?: boolean;
  pluginTrustMessage?: string;
  /** Only plugins may add these kinds of things. */
  strictPluginOnlyCustomization?: boolean | ('skills' | 'agents' | 'hooks' | 'mcp')[];
}
