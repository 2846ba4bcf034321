import { runs } from './tool-call.mjs';

export const recordings = ['hooks-main-four', 'hello'];

export default (frames) => [
  frames.prompt(/Sum up the file `text`[\s\S]*`text` \(file, 1 file/),
  frames.init({ tools: ['Bash', 'Read'], permissionMode: 'bypassPermissions' }),
  runs(frames, 'Read', { file_path: 'text' }, 'Offline: no tool reaches anything'),
  frames.assistantText('A program whose tools reach no host.'),
  frames.result(),
];
