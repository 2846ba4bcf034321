import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { TranscriptFolder } from '../../../src/query/transcript-mirror/transcript-folder.js';
import { configLocation } from '../../../src/util/config-folder.js';

const ID = '11111111-1111-4111-8111-111111111111';
const KEY = { projectKey: '-w', sessionId: ID };

describe('whose transcript a path is', () => {
  test.each([
    { name: 'relative, as the CLI names it', path: `cfg/projects/-w/${ID}.jsonl`, key: KEY },
    { name: 'relative with a dot', path: `./cfg/projects/-w/${ID}.jsonl`, key: KEY },
    { name: 'absolute all the same', path: `/w/cfg/projects/-w/${ID}.jsonl`, key: KEY },
    { name: 'relative to another folder', path: `other/projects/-w/${ID}.jsonl`, key: undefined },
    { name: 'out of the working directory', path: `../cfg/projects/-w/${ID}.jsonl`, key: undefined },
    { name: 'nothing', path: '', key: undefined },
  ])('with a relative CLAUDE_CONFIG_DIR, a path $name (TS-178)', ({ path, key }) => {
    const { folder } = configLocation({ CLAUDE_CONFIG_DIR: 'cfg' }, '/w');
    expect(new TranscriptFolder(folder, '/w').keyOf(path)).toEqual(key);
  });

  test('a Windows path stays one on every platform', () => {
    const folder = new TranscriptFolder('C:\\U\\.claude', '/w');
    expect(folder.keyOf(`c:\\U\\.claude\\projects\\-w\\${ID}.jsonl`)).toEqual(KEY);
  });

  test.runIf(process.platform !== 'win32')('the folder under its real name, behind a link (skipped on Windows)', () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'claudewire-test-folder-')));
    onTestFinished(() => rmSync(root, { recursive: true, force: true }));
    mkdirSync(join(root, 'real'));
    symlinkSync(join(root, 'real'), join(root, 'link'));
    const folder = new TranscriptFolder(join(root, 'link'), '/w');
    for (const name of ['link', 'real']) {
      expect(folder.keyOf(join(root, name, 'projects', '-w', `${ID}.jsonl`))).toEqual(KEY);
    }
  });

  test('a folder that was exchanged counts from then on', () => {
    const folder = new TranscriptFolder('/c', '/w');
    folder.moveTo('/private', KEY);
    expect(folder.path).toBe(join('/private', 'projects'));
    expect(folder.keyOf(`/private/projects/-w/${ID}.jsonl`)).toEqual(KEY);
    expect(folder.keyOf(`/c/projects/-w/${ID}.jsonl`)).toBeUndefined();
  });

  test('a session stays under the project that it began in, with its sub-agents; another one does not', () => {
    const folder = new TranscriptFolder('/c', '/w');
    const other = ID.replaceAll('1', '2');
    expect(folder.keyOf(`/c/projects/-w/${ID}.jsonl`)).toEqual(KEY);
    const agent = `/c/projects/-w--claude-worktrees-x/${ID}/subagents/agent-a.jsonl`;
    expect(folder.keyOf(agent)).toEqual({ ...KEY, subpath: 'subagents/agent-a' });
    expect(folder.keyOf(`/c/projects/-w--claude-worktrees-x/${ID}.jsonl`)).toEqual(KEY);
    expect(folder.keyOf(`/c/projects/-w--claude-worktrees-x/${other}.jsonl`)).toEqual({
      projectKey: '-w--claude-worktrees-x',
      sessionId: other,
    });
  });

  test('a session that was resumed stays under the project that it was stored in', () => {
    const folder = new TranscriptFolder('/c', '/w');
    folder.moveTo('/private', KEY);
    expect(folder.keyOf(`/private/projects/-w--claude-worktrees-x/${ID}.jsonl`)).toEqual(KEY);
  });
});
