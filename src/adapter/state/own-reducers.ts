import { omitUndefined } from '../../util/json.js';
import type { AnyKey, EventKey, SliceKey } from './keys.js';
import { reduceLatest } from './reducers.js';
import type { Target } from './slice-board.js';
import {
  ClearAllVisibilityOverrides,
  ClearVisibilityOverride,
  FileModified,
  type ModifiedFile,
  ModifiedFiles,
  Plan,
  PlanUpdated,
  SetVisibilityOverride,
  VisibilityOverrides,
} from './slices.js';

interface Registration extends Target {
  readonly event: AnyKey;
}

/** Checks that the three belong together. */
function registration<S, E>(
  slice: SliceKey<S>,
  event: EventKey<E>,
  reducer: (items: readonly S[], payload: E, context: unknown) => readonly S[],
): Registration {
  return { slice, event, reducer };
}

/** The reducers that every session starts with. */
export const OWN_REDUCERS: readonly Registration[] = [
  registration(
    VisibilityOverrides,
    SetVisibilityOverride,
    reduceLatest<VisibilityOverrides, SetVisibilityOverride, unknown>({}, (overrides, { path, visibility }) => ({
      ...overrides,
      [path]: visibility,
    })),
  ),
  registration(
    VisibilityOverrides,
    ClearVisibilityOverride,
    reduceLatest<VisibilityOverrides, ClearVisibilityOverride, unknown>({}, (overrides, { path }) =>
      Object.fromEntries(Object.entries(overrides).filter(([each]) => each !== path)),
    ),
  ),
  registration(VisibilityOverrides, ClearAllVisibilityOverrides, () => []),
  registration(
    ModifiedFiles,
    FileModified,
    reduceLatest<ModifiedFiles, FileModified, unknown>({ files: [] }, ({ files }, { path, tool }) => ({
      files: withChange(files, path, tool),
    })),
  ),
  registration(
    Plan,
    PlanUpdated,
    reduceLatest<Plan, PlanUpdated, unknown>({ steps: [] }, (_, { todos }) => ({
      // Only the fields we name: a todo of the CLI may have others.
      steps: todos.map(({ id, content, status, activeForm }) => ({
        ...omitUndefined({ id, activeForm }),
        description: content,
        status,
      })),
    })),
  ),
];

function withChange(files: readonly ModifiedFile[], path: string, tool: string): ModifiedFile[] {
  const index = files.findIndex((file) => file.path === path);
  const file = files[index];
  if (file === undefined) return [...files, { path, tools: [tool], count: 1 }];
  const tools = file.tools.includes(tool) ? file.tools : [...file.tools, tool];
  return files.with(index, { path, tools, count: file.count + 1 });
}
