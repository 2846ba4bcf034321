import type { Fields } from './common.js';

/** Artifact: pages that are published on claude.ai. Which fields count depends on `action`. */
export type ArtifactInput = {
  /** @defaultValue 'publish' */
  action?:
    | 'publish'
    | 'list'
    | 'read'
    | 'list_types'
    | 'watch'
    | 'unwatch'
    | 'status'
    | 'upload_asset'
    | 'list_assets'
    | 'read_asset'
    | 'delete_asset'
    | 'pin'
    | 'unpin';
  file_path?: string;
  file_paths?: [string, ...string[]];
  url?: string;
  title?: string;
  description?: string;
  label?: string;
  favicon?: string;
  icon?: string;
  prompt?: string;
  force?: boolean;
  pin?: boolean;
  limit?: number;
  page_token?: string;
  scope?: 'mine' | 'shared' | 'all';
  out_dir?: string;
  asset_id?: string;
  after?: string;
  capabilities?: Fields;
  /** `latest`, or a version. */
  contract?: string;
};
