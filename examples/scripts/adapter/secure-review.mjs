import { gives, runs } from './tool-call.mjs';

/** Recordings of the real CLI that show every kind of frame in here. */
export const recordings = ['hook-structured-output-stop', 'hooks-main-four', 'structured-output'];

export default (frames) => [
  frames.prompt(/security problems[\s\S]*`project` \(directory/),
  frames.init({
    tools: ['Bash', 'Edit', 'Read', 'StructuredOutput', 'Write'],
    permissionMode: 'bypassPermissions',
  }),
  runs(frames, 'Bash', { command: 'ls project' }, 'machine.mjs'),
  gives(frames, {
    findings: [
      {
        file: 'project/machine.mjs',
        line: 8,
        severity: 'low',
        problem: 'A path comes from the environment.',
      },
    ],
  }),
];
