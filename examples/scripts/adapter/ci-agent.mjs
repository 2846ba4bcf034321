import { gives, runs } from './tool-call.mjs';

export const recordings = ['hook-structured-output-stop', 'hooks-main-four', 'structured-output'];

export default (frames) => [
  frames.prompt(/ci-report\/report\.txt/),
  frames.init({
    tools: ['Bash', 'Read', 'StructuredOutput', 'Write'],
    permissionMode: 'bypassPermissions',
  }),
  runs(frames, 'Bash', { command: 'echo nothing > ci-report/report.txt' }, ''),
  gives(frames, { passed: true, summary: 'Every file belongs here.' }),
];
