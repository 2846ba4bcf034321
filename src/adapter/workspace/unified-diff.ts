/** Both texts together. Finding what changed takes long for more. */
const MAX_TEXT_LENGTH = 2_000_000;
/** Lines that were added or removed. */
const MAX_EDITS = 2_000;
const MAX_DIFF_LENGTH = 256_000;

/** Makes the diff of one file as `git diff` does. Files that are binary, or too large or too different to show, are named. */
export type DiffOf = (
  path: string,
  before: FileState | undefined,
  after: FileState | undefined,
) => string;

export interface FileState {
  /** `null` for one that is not text. */
  readonly text: string | null;
  readonly isExecutable: boolean;
}

export async function loadDiff(): Promise<DiffOf> {
  const { formatPatch, structuredPatch } = await import('diff/lib/patch/create.js');
  return (path, before, after) => {
    const oldName = before === undefined ? '/dev/null' : `a/${path}`;
    const newName = after === undefined ? '/dev/null' : `b/${path}`;
    const oldText = before === undefined ? '' : before.text;
    const newText = after === undefined ? '' : after.text;
    if (oldText === null || newText === null)
      return `Binary files ${oldName} and ${newName} differ\n`;
    const tooLarge = `Files ${oldName} and ${newName} differ: too much to show\n`;
    if (oldText.length + newText.length > MAX_TEXT_LENGTH) return tooLarge;
    const options = { context: 3, maxEditLength: MAX_EDITS };
    const patch = structuredPatch(
      oldName,
      newName,
      oldText,
      newText,
      undefined,
      undefined,
      options,
    );
    if (patch === undefined) return tooLarge;
    const diff = formatPatch({
      ...patch,
      isGit: true,
      isCreate: before === undefined,
      isDelete: after === undefined,
      ...modesOf(before, after),
    });
    return diff.length > MAX_DIFF_LENGTH ? tooLarge : diff;
  };
}

/** A file that both have is named with its modes only when they differ. */
function modesOf(before: FileState | undefined, after: FileState | undefined) {
  if (before?.isExecutable === after?.isExecutable) return {};
  return {
    ...(before === undefined ? {} : { oldMode: before.isExecutable ? '100755' : '100644' }),
    ...(after === undefined ? {} : { newMode: after.isExecutable ? '100755' : '100644' }),
  };
}
