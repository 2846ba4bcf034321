import { join } from 'node:path';
import { Session } from '../../../src/adapter/state/session.js';
import { AnchoredDirectory } from '../../../src/adapter/workspace/anchored-directory.js';
import { VirtualFileSystem, vfsFile } from '../../../src/adapter/workspace/workspace.js';
import { writeBackToHost } from '../../../src/adapter/workspace/write-back.js';

/**
 * Writes `changes` back below `target`, where `before` was mounted, and kills itself before the call of the file system with
 * the given number. Prints how many calls there were when it was not killed.
 */
const [target = '', number = '0', before = '{}', changes = '{}'] = process.argv.slice(2);
const filesOf = (json: string) =>
  Object.entries(JSON.parse(json) as Record<string, readonly [string, number]>).map(([path, [content, permissions]]) =>
    vfsFile({ path: { segments: ['m', ...path.split('/')] }, content, permissions }, 'now'),
  );

let calls = 0;
for (const name of [...(['createFile', 'ensureDirectory', 'rename', 'link', 'replaceIf', 'unlink'] as const)]) {
  const original = AnchoredDirectory.prototype[name] as (...args: unknown[]) => Promise<unknown>;
  Object.assign(AnchoredDirectory.prototype, {
    [name](this: AnchoredDirectory, ...args: unknown[]) {
      calls += 1;
      if (calls === Number(number)) process.kill(process.pid, 'SIGKILL');
      return original.apply(this, args);
    },
  });
}

const host = join(target, 'm');
const session = new Session();
session.mutate(VirtualFileSystem).seed({ files: filesOf(changes) });
const workspace = {
  tempDir: target,
  mountPreviews: [
    {
      hostPath: host,
      resolvedHost: host,
      mountPath: 'm',
      entries: [],
      entryCount: 0,
      isDirectory: true,
      bytesCopied: 0,
    },
  ],
  vfsSnapshot: { files: filesOf(before) },
  opaqueFiles: [],
  createdAt: 'now',
};
await writeBackToHost(session, workspace, target, { onConflict: 'error' });
process.stdout.write(String(calls));
