import { mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorText } from '../../util/error-text.js';
import { workingDirectory } from '../../util/host-places.js';
import { AdapterConfigError } from '../errors/adapter-error.js';
import { type Clock, systemClock } from '../limits/clock.js';
import { havingMethod, madeByCreate, readFields } from '../options/read-fields.js';
import { Section } from '../prompt/index.js';
import type { EventBus, Session } from '../state/index.js';
import { Workspace } from '../state/index.js';
import { AnchoredDirectory } from './anchored-directory.js';
import { copyMounts } from './copy-mounts.js';
import { readWorkspace } from './read-workspace.js';
import { removeDirectory } from './remove-directory.js';
import { requireThat } from './resolve-mount.js';
import { registerVfsReducers, sortFiles, VirtualFileSystem, vfsFile } from './virtual-file-system.js';
import { ClaudeAgentWorkspace, type HostMount, type HostMountPreview } from './workspace.js';

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

const FIELDS = [
  ...['session', 'mounts', 'allowedHostRoots', 'tempDirPrefix', 'cleanupOnFinalize'],
  ...['acceptsOverrides', 'tempRoot', 'hostCwd', 'clock'],
];
const EXAMPLE = 'ClaudeAgentWorkspaceSection.create({ session, mounts })';
const SESSION = havingMethod('mutate', 'a Session');

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
    if (options.cleanupOnFinalize !== false) releaseWithOwner(this, lease);
  }

  /**
   * Makes the directory and copies the mounts. After a failure nothing is left behind.
   *
   * @throws {@link WorkspaceSourceMissingError} `hostPath` does not exist.
   * @throws {@link WorkspaceSecurityError} a mount is outside of the allowed roots, a target outside of the
   *   workspace, or a link leaves them.
   * @throws {@link WorkspaceBudgetExceededError} a mount is larger than its `maxBytes`.
   * @throws {@link AdapterConfigError} an invalid or unknown field, or a file that cannot be read.
   */
  static async create(options: WorkspaceSectionOptions): Promise<ClaudeAgentWorkspaceSection> {
    checkOptions(options);
    const { session, mounts = [], allowedHostRoots = [], tempDirPrefix = DEFAULT_PREFIX } = options;
    const { tempRoot = tmpdir(), hostCwd = workingDirectory('hostCwd'), clock = systemClock } = options;
    const tempDir = await makeDirectory(tempRoot, tempDirPrefix);
    const lease = leaseDirectory(tempDir);
    try {
      const directory = await AnchoredDirectory.open(tempDir);
      let mountPreviews: readonly HostMountPreview[];
      try {
        const input = { mounts, allowedHostRoots, hostCwd, workspace: directory };
        mountPreviews = await copyMounts(input);
      } finally {
        await directory.close();
      }
      const { texts, opaque } = await readWorkspace(tempDir);
      const createdAt = new Date(clock.now()).toISOString();
      const files = sortFiles(
        texts.map((text) => vfsFile({ ...text, path: { segments: text.path.split('/') } }, createdAt)),
      );
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
   *
   * @throws TypeError `bus` is not the bus of `session`.
   * @throws {@link AdapterConfigError} an unknown field, or the workspace was cleaned up.
   */
  clone(target: { readonly session: Session; readonly bus?: EventBus | undefined }): ClaudeAgentWorkspaceSection {
    readFields(target, 'options', ['session', 'bus']).check('session', SESSION);
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
    cancelRelease(this.#lease);
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

function checkOptions(options: WorkspaceSectionOptions): void {
  const read = readFields(options, 'options', FIELDS);
  read.check('clock', havingMethod('now', 'a Clock'));
  read.boolean('cleanupOnFinalize', true);
  read.boolean('acceptsOverrides', false);
  for (const name of ['tempRoot', 'hostCwd']) {
    read.check(name, (value) => (isText(value) ? undefined : 'must be the path of a directory'));
  }
  const { session, mounts = [], allowedHostRoots = [], tempDirPrefix = DEFAULT_PREFIX } = options;
  requireThat(typeof session?.mutate === 'function', 'session', 'a Session', session);
  requireThat(Array.isArray(mounts), 'mounts', 'a list', mounts);
  const areRoots = Array.isArray(allowedHostRoots) && allowedHostRoots.every(isText);
  requireThat(areRoots, 'allowedHostRoots', 'a list of directories', allowedHostRoots);
  // With an empty prefix the directory would be beside the temporary directory, not in it.
  const isName = typeof tempDirPrefix === 'string' && /^[^/\\\0]+$/.test(tempDirPrefix);
  requireThat(isName, 'tempDirPrefix', 'the beginning of a file name', tempDirPrefix);
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && !value.includes('\0');
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

interface SharedDirectory {
  readonly path: string;
  holders: number;
}

/** A share in a directory. Releasing the last share removes the directory. */
interface DirectoryLease {
  readonly isReleased: boolean;
  share(): DirectoryLease;
  /** Safe to call twice: both calls get the same result. */
  release(): Promise<void>;
}

function leaseDirectory(path: string): DirectoryLease {
  return createLease({ path, holders: 0 });
}

function createLease(directory: SharedDirectory): DirectoryLease {
  let released: Promise<void> | undefined;
  directory.holders += 1;
  return {
    get isReleased() {
      return released !== undefined;
    },
    share: () => createLease(directory),
    release: () => {
      released ??= giveBack(directory);
      return released;
    },
  };
}

async function giveBack(directory: SharedDirectory): Promise<void> {
  directory.holders -= 1;
  if (directory.holders === 0) await removeDirectory(directory.path);
}

let registry: FinalizationRegistry<DirectoryLease> | undefined;

/** Releases the share when `owner` is collected, unless {@link cancelRelease} comes first. */
function releaseWithOwner(owner: object, lease: DirectoryLease): void {
  // Nobody is left to report a failure to.
  registry ??= new FinalizationRegistry((held) => void held.release().catch(() => undefined));
  registry.register(owner, lease, lease);
}

function cancelRelease(lease: DirectoryLease): void {
  registry?.unregister(lease);
}
