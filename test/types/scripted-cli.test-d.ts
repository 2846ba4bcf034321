import { type ScriptedCli, type ScriptedCliOptions, scriptedCli } from '../../src/testing/index.js';
import { fits, type Same } from './assignable.js';

/** What the compiler makes of the path of a scripted CLI. Compiled, not run. */

declare const options: ScriptedCliOptions;
declare const inProcess: boolean;

fits<string>(scriptedCli([]).path);
fits<string>(scriptedCli([], {}).path);
fits<string>(scriptedCli([], { inProcess: false, reuse: true }).path);
fits<string>(scriptedCli([], { model: 'm' } satisfies ScriptedCliOptions).path);

// It may play in process.
type Path = string | undefined;
const [here, maybe, unknown] = [
  scriptedCli([], { inProcess: true }),
  scriptedCli([], { inProcess }),
  scriptedCli([], options),
];
fits<Same<typeof here.path, Path>>(true);
fits<Same<typeof maybe.path, Path>>(true);
fits<Same<typeof unknown.path, Path>>(true);
fits<ScriptedCli>(scriptedCli([]));

// A function of the caller's passes its options on.
export const start = (given: ScriptedCliOptions = {}): ScriptedCli => scriptedCli([], given);
