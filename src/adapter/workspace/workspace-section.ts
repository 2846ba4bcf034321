import { mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorText } from '../../util/error-text.js';
import { workingDirectory } from '../../util/host-places.js';
import { AdapterConfigError } from '../errors/config-errors.js';
import { type Clock, systemClock } from '../limits/clock.js';
import { havingMethod, madeByCreate, readFields } from '../options/read-fields.js';
import { Section } from '../prompt/index.js';
import type { EventBus, Session } from '../state/index.js';
import { Workspace } from '../state/index.js';
import { AnchoredDirectory } from './anchored-directory.js';
import { materialise } from './copy-mounts.js';
import { readWorkspace } from './read-workspace.js';
import { removeDirectory } from './remove-directory.js';
import { requireThat } from './resolve-mount.js';
import {
  registerVfsReducers,
  sortFiles,
  VirtualFileSystem,
  vfsFile,
} from './virtual-file-system.js';
import { ClaudeAgentWorkspace, type HostMount, type HostMountPreview } from './workspace.js';

const DEFAULT_PREFIX = 'wink-sdk-';
const SHOWN_ENTRIES = 10;

export interface WorkspaceSectionOptions {
  /** Gets the slices `ClaudeAgentWorkspace`, `VirtualFileSystem` and `Workspace`. */
  readonly session: Session;
  /** Copied in this order. Default: none, and the workspace is empty. */
  readonly mounts?: readonly HostMount[] | undefined;
  /** Directories outside of which nothing is mounted. Default: none, and anything may be. */
  readonly allowedHostRoots?: readonly string[] | undefined;
  /** What the name of the directory begins with. @defaultValue `'wink-sdk-'` */
  readonly tempDirPrefix?: string | undefined;
  /** Removes the directory when the section is collected without `cleanup()`. @defaultValue true */
  readonly cleanupOnFinalize?: boolean | undefined;
  /** @defaultValue false */
  readonly acceptsOverrides?: boolean | undefined;
  /** Where the directory is made. Default: the system's. */
  readonly tempRoot?: string | undefined;
  /** Where relative paths start. Default: the directory of this process. */
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
 * A private directory with copies of host files, and the part of the prompt that tells of it.
 *
 * The directory outlives `evaluate()`: remove it with `cleanup()`.
 */
export class ClaudeAgentWorkspaceSection extends Section implements AsyncDisposable {
  readonly session: Session;
  /** As it was made; also in the session's slice. */
  readonly workspace: ClaudeAgentWorkspace;
  readonly #lease: DirectoryLease;
  readonly #options: Contents['options'];

  /** @internal Use `create()`. */
  constructor(contents: Contents) {
    if (contents?.options === undefined || contents.lease === undefined)
      throw madeByCreate(EXAMPLE);
    const { session, workspace, lease, options } = contents;
    super({
      title: 'Workspace',
      key: 'claude-agent-workspace',
      acceptsOverrides: options.acceptsOverrides ?? false,
    });
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
   * Makes the directory and copies the mounts. When anything fails, nothing is left.
   *
   * @throws {@link WorkspaceSourceMissingError} nothing lies at `hostPath`.
   * @throws {@link WorkspaceSecurityError} a path leaves its root: the mount the allowed roots, its target the workspace, a link both.
   * @throws {@link WorkspaceBudgetExceededError} a mount is larger than its `maxBytes`.
   * @throws {@link AdapterConfigError} a field of a wrong type, an unknown one, or a file that cannot be read.
   */
  static create(options: WorkspaceSectionOptions): Promise<ClaudeAgentWorkspaceSection> {
    return createSection(options);
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
   * The same directory for another session, whose slices are filled as they were at the start. The directory goes with the last of them.
   *
   * @throws TypeError `bus` is not the session's own.
   * @throws {@link AdapterConfigError} an unknown field, or the workspace was cleaned up.
   */
  clone(target: {
    readonly session: Session;
    readonly bus?: EventBus | undefined;
  }): ClaudeAgentWorkspaceSection {
    readFields(target, 'options', ['session', 'bus']).check('session', SESSION);
    const { session, bus } = target;
    if (bus !== undefined && bus !== session.bus) {
      throw new TypeError('`bus` must be the bus of `session`. Leave it out.');
    }
    if (this.#lease.isReleased) {
      throw new AdapterConfigError('The workspace was cleaned up, and cannot be cloned', [
        'session',
      ]);
    }
    return cloneSection({
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
    forget(this.#lease);
    await this.#lease.release();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.cleanup();
  }
}

function cloneSection(contents: Contents): ClaudeAgentWorkspaceSection {
  return new ClaudeAgentWorkspaceSection(contents);
}

async function createSection(
  options: WorkspaceSectionOptions,
): Promise<ClaudeAgentWorkspaceSection> {
  checkOptions(options);
  const { session, mounts = [], allowedHostRoots = [], tempDirPrefix = DEFAULT_PREFIX } = options;
  const {
    tempRoot = tmpdir(),
    hostCwd = workingDirectory('hostCwd'),
    clock = systemClock,
  } = options;
  const tempDir = await makeDirectory(tempRoot, tempDirPrefix);
  const lease = leaseDirectory(tempDir);
  try {
    const directory = await AnchoredDirectory.open(tempDir);
    let mountPreviews: readonly HostMountPreview[];
    try {
      const input = { mounts, allowedHostRoots, hostCwd, workspace: directory };
      mountPreviews = await materialise(input);
    } finally {
      await directory.close();
    }
    const { texts, opaque } = await readWorkspace(tempDir);
    const createdAt = new Date(clock.now()).toISOString();
    const files = sortFiles(
      texts.map((text) =>
        vfsFile({ ...text, path: { segments: text.path.split('/') } }, createdAt),
      ),
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

async function makeDirectory(tempRoot: string, prefix: string): Promise<string> {
  try {
    return await mkdtemp(join(await realpath(tempRoot), prefix));
  } catch (error) {
    throw new AdapterConfigError(
      `The workspace could not be made in ${tempRoot}: ${errorText(error)}`,
      ['tempRoot'],
      { cause: error, hint: 'Give a `tempRoot` that exists and can be written.' },
    );
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
  // An empty one would make the directory beside the temporary one, not in it.
  const isName = typeof tempDirPrefix === 'string' && /^[^/\\\0]+$/.test(tempDirPrefix);
  requireThat(isName, 'tempDirPrefix', 'the beginning of a file name', tempDirPrefix);
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && !value.includes('\0');
}

/** What the model is told of its workspace. */
function workspaceText(previews: readonly HostMountPreview[]): string {
  if (previews.length === 0)
    return 'Nothing of the host is mounted. The workspace is an empty directory.';
  return [
    'These are copies of host files. Changing them does not change the host.',
    ...previews.map(mountText),
  ].join('\n\n');
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

/** A file name may hold a line break, and must not look like an instruction on a line of its own. */
function quoted(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for.
  return /[\u0000-\u001f\u007f\u2028\u2029`]/.test(name) ? JSON.stringify(name) : `\`${name}\``;
}

interface SharedDirectory {
  readonly path: string;
  holders: number;
}

/** A share in a directory, which is removed when the last share is given back. */
interface DirectoryLease {
  readonly isReleased: boolean;
  share(): DirectoryLease;
  /** Safe to call twice: the second call gets what the first got. */
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
      released ??= give(directory);
      return released;
    },
  };
}

async function give(directory: SharedDirectory): Promise<void> {
  directory.holders -= 1;
  if (directory.holders === 0) await removeDirectory(directory.path);
}

let registry: FinalizationRegistry<DirectoryLease> | undefined;

/** Gives the share back when `owner` is collected, unless {@link forget} comes first. */
function releaseWithOwner(owner: object, lease: DirectoryLease): void {
  // Nobody is left to tell when it fails.
  registry ??= new FinalizationRegistry((held) => void held.release().catch(() => undefined));
  registry.register(owner, lease, lease);
}

function forget(lease: DirectoryLease): void {
  registry?.unregister(lease);
}
