import { mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorText } from '../../util/error-text.js';
import { workingDirectory } from '../../util/host-places.js';
import { array, arrayOf, boolean, custom, nullOr, type Validator } from '../../util/validate.js';
import { AdapterConfigError } from '../errors/adapter-error.js';
import { type Clock, systemClock } from '../limits/clock.js';
import { checkValue, havingMethods, madeByCreate, readFields } from '../options/read-fields.js';
import { Section } from '../prompt/index.js';
import { type EventBus, type Session, Workspace } from '../state/index.js';
import { AnchoredDirectory } from './anchored-directory.js';
import { copyMounts } from './copy-mounts.js';
import { directory } from './host-target.js';
import { readWorkspace } from './read-workspace.js';
import { removeDirectory } from './remove-directory.js';
import { closing } from './walk-down.js';
import {
  ClaudeAgentWorkspace,
  type HostMount,
  type HostMountPreview,
  registerVfsReducers,
  VirtualFileSystem,
  vfsFile,
} from './workspace.js';

const DEFAULT_PREFIX = 'wink-sdk-';
const SHOWN_ENTRIES = 10;

export interface WorkspaceSectionOptions {
  /** The session that gets the slices `ClaudeAgentWorkspace`, `VirtualFileSystem` and `Workspace`. */
  readonly session: Session;
  /** Copied in this order. @defaultValue none: the workspace is empty */
  readonly mounts?: readonly HostMount[] | undefined;
  /** Only mounts inside of these directories are allowed. @defaultValue none: every mount is allowed */
  readonly allowedHostRoots?: readonly string[] | undefined;
  /** Prefix of the directory's name. @defaultValue `'wink-sdk-'` */
  readonly tempDirPrefix?: string | undefined;
  /** Removes the directory when the section is collected without `cleanup()`. @defaultValue true */
  readonly cleanupOnFinalize?: boolean | undefined;
  /** @defaultValue false */
  readonly acceptsOverrides?: boolean | undefined;
  /** The folder for the directory. @defaultValue the system's temporary directory */
  readonly tempRoot?: string | undefined;
  /** Relative paths are resolved against it. @defaultValue the working directory of this process */
  readonly hostCwd?: string | undefined;
  readonly clock?: Clock | undefined;
}

const SESSION = havingMethods('a Session', 'mutate');
const OPTIONS: Readonly<Record<keyof WorkspaceSectionOptions, Validator>> = {
  session: SESSION,
  mounts: array,
  allowedHostRoots: arrayOf(directory),
  // With an empty prefix the directory would be beside the temporary directory, not in it.
  tempDirPrefix: custom(
    'the beginning of a file name',
    (value) => typeof value === 'string' && /^[^/\\\0]+$/.test(value),
  ),
  cleanupOnFinalize: nullOr(boolean),
  acceptsOverrides: nullOr(boolean),
  tempRoot: directory,
  hostCwd: directory,
  clock: havingMethods('a Clock', 'now'),
};
const EXAMPLE = 'ClaudeAgentWorkspaceSection.create({ session, mounts })';

interface Contents {
  readonly session: Session;
  readonly workspace: ClaudeAgentWorkspace;
  readonly lease: DirectoryLease;
  readonly options: Pick<WorkspaceSectionOptions, 'acceptsOverrides' | 'cleanupOnFinalize'>;
}

/**
 * A private directory with copies of host files, and the section of the prompt about it.
 *
 * The directory outlives `evaluate()`. Remove it with `cleanup()`.
 */
export class ClaudeAgentWorkspaceSection extends Section implements AsyncDisposable {
  readonly session: Session;
  /** The workspace as created, which is also in the session's slice. */
  readonly workspace: ClaudeAgentWorkspace;
  readonly #lease: DirectoryLease;
  readonly #options: Contents['options'];

  /** @internal Use `create()`. */
  constructor(contents: Contents) {
    if (contents?.options === undefined || contents.lease === undefined) throw madeByCreate(EXAMPLE);
    const { session, workspace, lease, options } = contents;
    super({ title: 'Workspace', key: 'claude-agent-workspace', acceptsOverrides: options.acceptsOverrides ?? false });
    this.session = session;
    this.workspace = workspace;
    this.#lease = lease;
    this.#options = options;
    registerVfsReducers(session);
    session.mutate(ClaudeAgentWorkspace).seed(workspace);
    session.mutate(VirtualFileSystem).seed(workspace.vfsSnapshot);
    session.mutate(Workspace).seed({ root: workspace.tempDir });
    if (options.cleanupOnFinalize !== false) forgotten.register(this, lease, lease);
  }

  /**
   * Makes the directory and copies the mounts. After a failure nothing is left behind.
   * @throws {@link WorkspaceSourceMissingError} `hostPath` does not exist.
   * @throws {@link WorkspaceSecurityError} a mount is outside of the allowed roots, a target outside of the
   *   workspace, or a link leaves them.
   * @throws {@link WorkspaceBudgetExceededError} a mount is larger than its `maxBytes`.
   * @throws {@link AdapterConfigError} an invalid or unknown field, or a file that cannot be read.
   */
  static async create(options: WorkspaceSectionOptions): Promise<ClaudeAgentWorkspaceSection> {
    readFields(options, 'options', Object.keys(OPTIONS));
    for (const [name, validator] of Object.entries(OPTIONS)) {
      const value = options[name as keyof WorkspaceSectionOptions];
      if (value !== undefined || name === 'session') checkValue(value, name, validator);
    }
    const { session, mounts = [], allowedHostRoots = [], tempDirPrefix = DEFAULT_PREFIX } = options;
    const { tempRoot = tmpdir(), hostCwd = workingDirectory('hostCwd'), clock = systemClock } = options;
    const tempDir = await makeDirectory(tempRoot, tempDirPrefix);
    const lease = new DirectoryLease({ path: tempDir, holders: 0 });
    try {
      const mountPreviews = await closing(AnchoredDirectory.open(tempDir), (workspace) =>
        copyMounts({ mounts, allowedHostRoots, hostCwd, workspace }),
      );
      const { texts, opaque } = await readWorkspace(tempDir);
      const createdAt = new Date(clock.now()).toISOString();
      const files = [...texts]
        .sort((a, b) => (a.path < b.path ? -1 : 1))
        .map((text) => vfsFile({ ...text, path: { segments: text.path.split('/') } }, createdAt));
      const workspace: ClaudeAgentWorkspace = {
        tempDir,
        mountPreviews,
        vfsSnapshot: { files },
        opaqueFiles: opaque,
        createdAt,
        sessionId: session.sessionId,
      };
      return new ClaudeAgentWorkspaceSection({ session, workspace, lease, options });
    } catch (error) {
      await lease.release();
      throw error;
    }
  }

  /** Real and absolute. */
  get tempDir(): string {
    return this.workspace.tempDir;
  }

  get mountPreviews(): readonly HostMountPreview[] {
    return this.workspace.mountPreviews;
  }

  /** ISO 8601. */
  get createdAt(): string {
    return this.workspace.createdAt;
  }

  /**
   * The same directory for another session, whose slices start with the original content. The last section that is
   * cleaned up removes the directory.
   * @throws TypeError `bus` is not the bus of `session`.
   * @throws {@link AdapterConfigError} an unknown field, or the workspace was cleaned up.
   */
  clone(target: { readonly session: Session; readonly bus?: EventBus | undefined }): ClaudeAgentWorkspaceSection {
    readFields(target, 'options', ['session', 'bus']).require('session', SESSION);
    const { session, bus } = target;
    if (bus !== undefined && bus !== session.bus) {
      throw new TypeError('`bus` must be the bus of `session`. Leave it out.');
    }
    if (this.#lease.isReleased) {
      throw new AdapterConfigError('The workspace was cleaned up, and cannot be cloned', ['session']);
    }
    return new ClaudeAgentWorkspaceSection({
      session,
      workspace: { ...this.workspace, sessionId: session.sessionId },
      lease: this.#lease.share(),
      options: this.#options,
    });
  }

  override renderBody(): string {
    return workspaceText(this.workspace.mountPreviews);
  }

  /** Removes the directory, unless a clone still uses it. Safe to call twice. */
  async cleanup(): Promise<void> {
    forgotten.unregister(this.#lease);
    await this.#lease.release();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.cleanup();
  }
}

async function makeDirectory(tempRoot: string, prefix: string): Promise<string> {
  try {
    return await mkdtemp(join(await realpath(tempRoot), prefix));
  } catch (error) {
    throw new AdapterConfigError(`The workspace could not be made in ${tempRoot}: ${errorText(error)}`, ['tempRoot'], {
      cause: error,
      hint: 'Give a `tempRoot` that exists and can be written.',
    });
  }
}

/** The text for the model about its workspace. */
function workspaceText(previews: readonly HostMountPreview[]): string {
  if (previews.length === 0) return 'Nothing of the host is mounted. The workspace is an empty directory.';
  return ['These are copies of host files. Changing them does not change the host.', ...previews.map(mountText)].join(
    '\n\n',
  );
}

function mountText(preview: HostMountPreview): string {
  const { mountPath, isDirectory, entries, entryCount, bytesCopied } = preview;
  const kind = isDirectory ? 'directory' : 'file';
  const files = `${entryCount} ${entryCount === 1 ? 'file' : 'files'}`;
  const shown = entries.slice(0, SHOWN_ENTRIES);
  const more = entryCount - shown.length;
  return [
    `- ${quoted(mountPath)} (${kind}, ${files}, ${bytesCopied} bytes)`,
    ...shown.map((entry) => `  - ${quoted(entry)}`),
    ...(more > 0 ? [`  - and ${more} more`] : []),
  ].join('\n');
}

/** Escapes line breaks, so that a file name cannot look like an instruction on its own line. */
function quoted(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for.
  return /[\u0000-\u001f\u007f\u2028\u2029`]/.test(name) ? JSON.stringify(name) : `\`${name}\``;
}

/** A share in a directory. Releasing the last share removes the directory. */
class DirectoryLease {
  readonly #directory: { readonly path: string; holders: number };
  #released: Promise<void> | undefined;

  constructor(directory: { readonly path: string; holders: number }) {
    this.#directory = directory;
    directory.holders += 1;
  }

  get isReleased(): boolean {
    return this.#released !== undefined;
  }

  share(): DirectoryLease {
    return new DirectoryLease(this.#directory);
  }

  /** Safe to call twice: both calls get the same result. */
  release(): Promise<void> {
    this.#released ??= this.#giveBack();
    return this.#released;
  }

  async #giveBack(): Promise<void> {
    this.#directory.holders -= 1;
    if (this.#directory.holders === 0) await removeDirectory(this.#directory.path);
  }
}

/** Releases the shares of sections that were collected without `cleanup()`. Failures are ignored. */
const forgotten = new FinalizationRegistry<DirectoryLease>((lease) => void lease.release().catch(() => undefined));
