import type { HostMountPreview } from './workspace.js';

const SHOWN_ENTRIES = 10;

/** What the model is told of its workspace. */
export function workspaceText(previews: readonly HostMountPreview[]): string {
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
