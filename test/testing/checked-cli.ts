import { onTestFinished } from 'vitest';
import {
  type Script,
  type ScriptedCli,
  type ScriptedCliOptions,
  scriptedCli as unchecked,
} from '../../src/testing/index.js';
import { checkWrittenFrame, settleWrittenFrames } from '../helpers/written-frames.js';

/** `scriptedCli`; what the SDK wrote to it is held against the published schema when the test is over. */
export function scriptedCli(script: Script, options?: ScriptedCliOptions): ScriptedCli {
  const cli = unchecked(script, options);
  onTestFinished(() => {
    for (const { frames } of cli.runs) frames.forEach(checkWrittenFrame);
    settleWrittenFrames();
  });
  return cli;
}
