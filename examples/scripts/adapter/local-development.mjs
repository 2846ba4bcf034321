import { runs } from './tool-call.mjs';

export const recordings = ['hooks-main-four', 'hello'];

export default (frames) => {
  const file = { file_path: 'NOTES.md', content: 'An empty folder.\n' };
  return [
    frames.prompt(/NOTES\.md/),
    frames.init({
      tools: ['Bash', 'Read', 'WebFetch', 'Write'],
      permissionMode: 'bypassPermissions',
    }),
    runs(frames, 'Write', file, 'File created', { type: 'create', filePath: 'NOTES.md' }),
    frames.assistantText('NOTES.md says what is here.'),
    frames.result(),
  ];
};
