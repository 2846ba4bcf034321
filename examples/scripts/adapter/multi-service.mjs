import { gives, runs } from './tool-call.mjs';

export const recordings = ['hook-structured-output-stop', 'hooks-main-four', 'structured-output'];

export default (frames) => [
  frames.prompt(/orders\.example\.com/),
  frames.init({
    tools: ['Bash', 'Read', 'StructuredOutput', 'WebFetch'],
    permissionMode: 'bypassPermissions',
  }),
  runs(frames, 'Bash', { command: 'docker ps' }, 'CONTAINER ID   IMAGE'),
  runs(frames, 'Bash', { command: "curl -s --noproxy '' http://127.0.0.1:8080/" }, 'ok'),
  gives(frames, { items: [{ service: 'http://127.0.0.1:8080/', isUp: true }] }),
];
