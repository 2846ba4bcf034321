import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { keyOfTranscript } from '../../../src/query/transcript-mirror/transcript-folder.js';

const ID = '11111111-1111-4111-8111-111111111111';

describe('the key of a transcript', () => {
  const cases: readonly {
    readonly name: string;
    readonly path: string;
    readonly config?: string;
    readonly key: object | undefined;
  }[] = [
    {
      name: 'a main transcript (TS-178)',
      path: `/c/projects/-w/${ID}.jsonl`,
      key: { projectKey: '-w', sessionId: ID },
    },
    {
      name: 'a subagent (TS-178)',
      path: `/c/projects/-w/${ID}/subagents/agent-a.jsonl`,
      key: { projectKey: '-w', sessionId: ID, subpath: 'subagents/agent-a' },
    },
    {
      name: 'a workflow (PY-160)',
      path: `/c/projects/-w/${ID}/subagents/workflows/r/agent-x.jsonl`,
      key: { projectKey: '-w', sessionId: ID, subpath: 'subagents/workflows/r/agent-x' },
    },
    {
      name: 'another suffix deeper down stays a part of the name',
      path: `/c/projects/-w/${ID}/a/b.txt`,
      key: { projectKey: '-w', sessionId: ID, subpath: 'a/b.txt' },
    },
    {
      name: 'Windows, with a drive in another case',
      path: `c:\\U\\.claude\\projects\\-w\\${ID}.jsonl`,
      config: 'C:\\U\\.claude',
      key: { projectKey: '-w', sessionId: ID },
    },
    {
      name: 'Windows, a share and a subagent',
      path: `\\\\s\\d\\projects\\-w\\${ID}\\subagents\\agent-a.jsonl`,
      config: '\\\\s\\d',
      key: { projectKey: '-w', sessionId: ID, subpath: 'subagents/agent-a' },
    },
    { name: 'outside (PY-159)', path: '/etc/passwd', key: undefined },
    { name: 'beside (PY-159)', path: `/c/projects2/-w/${ID}.jsonl`, key: undefined },
    { name: 'out again (PY-159)', path: `/c/projects/../x/-w/${ID}.jsonl`, key: undefined },
    { name: 'out in the middle (PY-159)', path: `/c/projects/-w/../../${ID}.jsonl`, key: undefined },
    { name: 'in no project', path: `/c/projects/${ID}.jsonl`, key: undefined },
    { name: 'right in the session folder', path: `/c/projects/-w/${ID}/a.jsonl`, key: undefined },
    { name: 'no transcript', path: '/c/projects/-w/x.txt', key: undefined },
    { name: 'no name', path: '/c/projects/-w/.jsonl', key: undefined },
    { name: 'the folder itself', path: '/c/projects', key: undefined },
    { name: 'nothing', path: '', key: undefined },
    { name: 'a session called `.` (C-10)', path: '/c/projects/-w/..jsonl', key: undefined },
    { name: 'a session called `..` (C-10)', path: '/c/projects/-w/...jsonl', key: undefined },
    { name: 'a part called `..` (C-10)', path: `/c/projects/-w/${ID}/a/...jsonl`, key: undefined },
    { name: 'a part called `.` (C-10)', path: `/c/projects/-w/${ID}/a/..jsonl`, key: undefined },
    { name: 'a session with a NUL (C-10)', path: '/c/projects/-w/a\0.jsonl', key: undefined },
    { name: 'a backslash in a name (C-10)', path: `/c/projects/-w/..\\${ID}.jsonl`, key: undefined },
    { name: 'a project with a NUL (C-10)', path: `/c/projects/\0/${ID}.jsonl`, key: undefined },
  ];
  test.each(cases)('$name', ({ path, config = '/c', key }) => {
    expect(keyOfTranscript(path, config)).toEqual(key);
  });

  test('no text makes a key with a way out of it (PY-159)', () => {
    const piece = fc.constantFrom(
      '..',
      '.',
      '',
      '/',
      '\\',
      'a',
      ID,
      '.jsonl',
      '..jsonl',
      '...jsonl',
      '\0',
      'projects',
      '/c/',
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const key = keyOfTranscript(`/c/projects/${pieces.join('/')}`, '/c');
        const names = [key?.projectKey, key?.sessionId, ...(key?.subpath?.split('/') ?? [])];
        expect(names.filter((name) => name === '..' || name === '.' || name === '')).toEqual([]);
      }),
    );
  });
});
