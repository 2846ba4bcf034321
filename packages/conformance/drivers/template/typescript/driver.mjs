// @ts-check
/**
 * A conformance driver. It passes L0 as it is, because `mini-host.mjs` stands in for an SDK.
 *
 * To drive your SDK: replace every use of `Host` below by your SDK, and delete `mini-host.mjs`. The kit has types: rename
 * this file to `driver.ts` if you like. Then add features, level by level: DRIVERS.md of claudewire-conformance.
 */
import { serve, Unsupported } from './driver-kit.mjs';
import { Host, HostError } from './mini-host.mjs';

await serve({
  hello: {
    driver: 'mine',
    // What this host fails is `unsupported`. Name your SDK to have it judged.
    sdk: 'mini-host',
    version: '0.1.0',
    language: 'typescript',
    // Name only what is true. The kit adds `query` and what else it can do with a client.
    features: [
      ...['stderr', 'messages:frames', 'messages:ids', 'messages:figures', 'environment:merged', 'prompt:text'],
      ...['initialize', 'initialize:awaited'],
    ],
  },
  session({ options, cli, cwd, onStderr }) {
    const host = new Host({ cli, cwd, args: argsOf(options), onStderr });
    return {
      connect: () => host.connect(),
      send: (content, fields) => host.send(content, fields),
      receive: () => host.receive(),
      disconnect: () => host.close(),
    };
  },
  // Your SDK's errors, as the driver protocol has them.
  classify: (error) => (error instanceof HostError ? error.normal : { kind: 'other' }),
});

/** @param {Record<string, any>} options */
function argsOf(options) {
  return Object.entries(options).flatMap(([name, value]) => {
    if (name === 'model') return ['--model', value];
    if (name === 'stderr' || name === 'pathToClaudeCodeExecutable') return [];
    throw new Unsupported(`option ${name}`);
  });
}
