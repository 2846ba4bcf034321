import type { Step } from '../../../../src/testing/scenario/scenario-types.js';
import type { JsonObject } from '../../../../src/util/json.js';
import { answered, ask, EOF, USER } from '../../../helpers/session-case/steps.js';
import type { ProcessProgram } from '../harness/program.js';
import type { Json, Look } from '../harness/row.js';

export { differs } from '../harness/row.js';
/** Steps of the scripted CLI that rows share, with those of the session cases of the layers. */
export { EOF, USER };

export function result(more: JsonObject = {}): JsonObject {
  return {
    type: 'result',
    subtype: 'success',
    is_error: false,
    duration_ms: 1,
    duration_api_ms: 1,
    num_turns: 1,
    result: 'done',
    session_id: 's',
    uuid: 'u',
    ...more,
  };
}

export const RESULT: Step = { out: result() };

export function assistant(text: string): JsonObject {
  return {
    type: 'assistant',
    message: { id: 'm', role: 'assistant', model: 'm', content: [{ type: 'text', text }] },
    parent_tool_use_id: null,
    session_id: 's',
    uuid: 'u',
  };
}

/** A turn with nothing in it. */
export const TURN: readonly Step[] = [USER, RESULT];

/** A request of the CLI, and the wait for whatever answers it. */
export function asked(id: string, request: JsonObject): readonly Step[] {
  return [ask(id, request), answered(id)];
}

/** One query with these options, over one empty turn. */
export function launch(name: string, options: JsonObject, more: Partial<ProcessProgram> = {}): ProcessProgram {
  return { name, mode: 'query', prompt: 'Hi', options, cli: TURN, ...more };
}

/** What a look states beside its program. */
export type Stated = Omit<Look<ProcessProgram>, 'program'>;

export function look(program: ProcessProgram, stated: Stated): Look<ProcessProgram> {
  return { program, ...stated };
}

export type { Json };
