import type { ArtifactRead, Fields } from './common.js';

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

type Published = {
  url: string;
  path: string;
  artifact_id?: string;
  title?: string;
  version?: string;
  capabilities?: unknown;
  stored?: { contract: string; preferredContract?: string; capabilities?: Fields; carried?: boolean; read?: string };
  warnings?: string[];
  publishesRemaining?: number;
  publishesResetAt?: number;
  contract?: string;
  updated?: boolean;
  owned?: boolean;
  icon?: string;
  faviconSent?: true;
  iconDropped?: true;
  audience?: string;
  folder_audience?: 'others' | 'unknown';
  seq?: number;
  unchanged?: true;
  liveSubscription?: string;
  pinned?: boolean;
};

type Listed = {
  artifacts: {
    title: string;
    url: string;
    favicon?: string;
    updatedAt?: string;
    rel?: 'mine' | 'shared';
    external?: true;
    role?: 'editor' | 'commenter' | 'reader' | 'viewer';
    outsidersMayHaveWritten?: true;
    pinned?: boolean;
  }[];
  truncated?: boolean;
  total?: number;
  total_at_least?: true;
  next_page_token?: string;
  pins_enabled?: boolean;
  scope?: 'shared' | 'all';
  external_listed?: true;
};

type ReadPage = {
  read: {
    url: string;
    bytes: number;
    code: number;
    codeText: string;
    result: string;
    durationMs: number;
    title?: string;
  };
  owned?: boolean;
  artifactRead?: ArtifactRead;
};

type Watched = {
  watch: {
    url: string;
    watching: boolean;
    outcome: string;
    reason?: string;
    durable_skip_reason?: string;
    task_id?: string;
    since?: number;
    token_expires_at?: number;
    rail?: string;
    trigger_id?: string;
    durable_since?: string;
    status?: number;
    detail?: string;
    note?: string;
    events?: string[];
  };
};

type LiveWatch = {
  url: string;
  task_id: string;
  since: number;
  explicit: boolean;
  connected: boolean;
  connecting?: boolean;
  token_expires_at: number;
  armed_via?: string;
};

type DurableWatch = {
  url: string;
  rail: 'durable_wake';
  trigger_id: string;
  since: string;
  events?: string[];
  restored?: boolean;
};

type StoppedWatch = {
  url: string;
  rail: 'live_stopped';
  since?: number;
  explicit?: boolean;
  armed_via?: string;
  stop_kind: string;
};

type WatchStatus = {
  watches: (LiveWatch | DurableWatch | StoppedWatch)[];
  filter_url?: string;
  arms?: {
    url: string;
    rail?: string;
    state: string;
    reconnect?: boolean;
    failures?: number;
    max_failures?: number;
    next_in_s?: number;
    last_failure?: string;
    reason?: string;
    detail?: string;
    server_message?: string;
    at?: number;
  }[];
};

type Asset = { id: string; url: string; size_bytes: number; content_type: string; sha256?: string };

/** The page that a change of its assets made a new version of. */
type Rewritten = { written?: { url: string }; owned?: boolean };

type UploadResult =
  | (Asset & { status: 'uploaded'; file_path: string; file_name: string })
  | { status: 'failed' | 'not_attempted'; file_path: string; reason: string; message: string; may_be_stored?: true };

/** Others may have written what is read. */
type Foreign = { cowritten?: true; outside_writer?: true };

/** One member for each kind of action, told apart by the field that it alone has. */
export type ArtifactOutput =
  | Published
  | Listed
  | ReadPage
  | Watched
  | { unwatch: { url: string; was_watching: boolean } }
  | WatchStatus
  | (Rewritten & { asset_upload: Asset & { file_name: string } })
  | (Rewritten & { asset_uploads: { url: string; results: [UploadResult, ...UploadResult[]] } })
  | {
      asset_list: Foreign & {
        url: string;
        assets: (Asset & { created_at: string })[];
        usage: { files: number; bytes: number; max_files: number; max_bytes: number };
        next?: string;
      };
    }
  | {
      asset_read: Foreign & {
        id: string;
        path: string;
        size_bytes: number;
        content_type: string;
        sha256: string;
        public_read?: true;
        foreign?: true;
      };
    }
  | (Rewritten & { asset_delete: { id: string; deleted: boolean } })
  | { pin: { action: 'pin' | 'unpin'; url: string; pinned: boolean; title?: string } };
