import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ClaudeAgentAdapter } from '../../../src/adapter/evaluate/claude-agent-adapter.js';
import { Prompt } from '../../../src/adapter/prompt/prompt.js';
import { Session } from '../../../src/adapter/state/session.js';
import { ClaudeAgentWorkspaceSection } from '../../../src/adapter/workspace/workspace-section.js';
import { play } from '../support/play.js';

test('a run works in the workspace, reports what changed, and leaves the directory (AD-291)', async () => {
  await using stage = play(({ turn }) => turn('Done.', /`a\.txt` \(file, 1 file, 1 bytes\)/), {
    recordings: ['hello'],
  });
  const { tempRoot } = stage;
  const hostPath = join(stage.hostHome, 'a.txt');
  writeFileSync(hostPath, '1');
  const session = new Session();
  const mounts = [{ hostPath }];
  const section = await ClaudeAgentWorkspaceSection.create({ session, mounts, tempRoot });
  const adapter = new ClaudeAgentAdapter({ ...stage.machine });
  const prompt = new Prompt({ ns: 'test', key: 'workspace', sections: [section] });
  // As a tool of the model would, before the run looks at what changed.
  const response = await adapter.evaluate(prompt, {
    session,
    diff: true,
    onMessage: () => writeFileSync(join(section.tempDir, 'a.txt'), '2'),
  });
  expect(stage.runs[0]?.cwd).toBe(section.tempDir);
  expect(response.report.files).toEqual([{ path: 'a.txt', change: 'modified', diff: expect.stringContaining('-1\n') }]);
  expect(existsSync(section.tempDir)).toBe(true);
  expect(readFileSync(join(section.tempDir, 'a.txt'), 'utf8')).toBe('2');
  expect(readFileSync(hostPath, 'utf8')).toBe('1');
  await section.cleanup();
  expect(existsSync(section.tempDir)).toBe(false);
});
