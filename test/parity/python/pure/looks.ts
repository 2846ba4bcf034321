import type { Difference, Json, Look } from '../harness/row.js';
import type { PureCall, PureProgram } from './program.js';

export { differs } from '../harness/row.js';

/** What a look states besides its program. */
export interface Stated {
  readonly at?: readonly string[];
  readonly both?: Json;
  readonly python?: Json;
  readonly ours?: Json;
  readonly differs?: readonly Difference[];
  readonly before?: NonNullable<Look<PureProgram>['before']>;
  readonly files?: PureProgram['files'];
  readonly shows?: PureProgram['shows'];
  readonly worktrees?: PureProgram['worktrees'];
  readonly environment?: PureProgram['environment'];
}

/** A look at calls that both sides make. Everything they gave is compared, and the files that are shown. */
export function pureLook(
  name: string,
  calls: readonly PureCall[],
  { files, shows, worktrees, environment, at, ...stated }: Stated = {},
): Look<PureProgram> {
  return {
    name,
    program: {
      kind: 'pure',
      name,
      calls,
      ...(files === undefined ? {} : { files }),
      ...(shows === undefined ? {} : { shows }),
      ...(worktrees === undefined ? {} : { worktrees }),
      ...(environment === undefined ? {} : { environment }),
    },
    at: at ?? (shows === undefined ? ['results'] : ['results', 'files']),
    ...stated,
  };
}
