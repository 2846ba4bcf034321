import { onTestFinished } from 'vitest';
import {
  type Script,
  type ScriptedCli,
  type ScriptedCliOptions,
  scriptedCli as unchecked,
} from '../../src/testing/index.js';
import { compileScript } from '../../src/testing/script/compile-script.js';
import { framesIn, settleWrittenFrames, WrittenFrames } from '../helpers/written-frames.js';

/** `scriptedCli`; what the SDK wrote to it is held against the published schema when the test is over. */
export function scriptedCli(script: Script, options?: ScriptedCliOptions): ScriptedCli {
  const cli = unchecked(script, options);
  onTestFinished(() => {
    const written = new WrittenFrames();
    const { scenario } = compileScript(script, { reuse: false, header: {}, session: options });
    for (const frame of framesIn(scenario.steps.map(({ step }) => step))) written.asked(frame);
    for (const { frames } of cli.runs) for (const frame of frames) written.wrote(frame);
    settleWrittenFrames();
  });
  return cli;
}
