import { refused, runs } from './tool-call.mjs';

export const recordings = [
  'hooks-main-four',
  'hook-pretool-deny',
  'adapter-webfetch-no-preflight',
  'hello',
];

export default (frames) => {
  const ask = 'What does recursive do?';
  return [
    frames.prompt(/nodejs\.org and docs\.python\.org/),
    frames.init({ tools: ['Bash', 'WebFetch', 'WebSearch'], permissionMode: 'bypassPermissions' }),
    refused(frames, 'WebFetch', { url: 'https://blog.example.com/rm', prompt: ask }),
    runs(
      frames,
      'WebFetch',
      { url: 'https://nodejs.org/api/fs.html', prompt: ask },
      'It removes folders too.',
    ),
    frames.assistantText(
      'With `recursive` it removes folders too (https://nodejs.org/api/fs.html).',
    ),
    frames.result(),
  ];
};
