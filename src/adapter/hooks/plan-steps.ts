import { isJsonObject, type JsonObject, omitUndefined, stringField } from '../../util/json.js';
import type { Session } from '../state/index.js';
import { Plan, PlanUpdated, type Todo } from '../state/index.js';
import type { ToolCall } from './tool-call.js';

type Change = (todos: readonly Todo[], input: JsonObject, response: unknown) => readonly Todo[];

/** TodoWrite replaces the plan. Newer CLIs change one task at a time. */
const CHANGES: ReadonlyMap<string, Change> = new Map<string, Change>([
  ['TodoWrite', (_, input) => todosOf(input.todos)],
  ['TaskCreate', created],
  ['TaskUpdate', updated],
]);

export function recordPlan({ toolName, toolInput }: ToolCall, response: unknown, session: Session) {
  const change = CHANGES.get(toolName);
  if (change === undefined) return;
  const before = (session.query(Plan).latest()?.steps ?? []).map(
    ({ description, ...step }): Todo => ({ ...step, content: description }),
  );
  const todos = change(before, toolInput, response);
  if (todos !== before) session.mutate(Plan).dispatch(PlanUpdated, { todos });
}

function todosOf(value: unknown): Todo[] {
  const items: unknown[] = Array.isArray(value) ? value : [];
  return items.filter(isJsonObject).flatMap((item) => {
    const content = stringField(item, 'content');
    if (content === undefined) return [];
    const id = stringField(item, 'id');
    const status = stringField(item, 'status') ?? 'pending';
    return [withFields({ content, status }, { id, activeForm: stringField(item, 'activeForm') })];
  });
}

function created(todos: readonly Todo[], input: JsonObject, response: unknown): readonly Todo[] {
  const content = stringField(input, 'subject');
  if (content === undefined) return todos;
  const task = isJsonObject(response) ? response.task : undefined;
  const id = isJsonObject(task) ? stringField(task, 'id') : undefined;
  const activeForm = stringField(input, 'activeForm');
  return [...todos, withFields({ content, status: 'pending' }, { id, activeForm })];
}

function updated(todos: readonly Todo[], input: JsonObject, response: unknown): readonly Todo[] {
  const id = stringField(input, 'taskId');
  const isRefused = isJsonObject(response) && response.success === false;
  if (id === undefined || isRefused || !todos.some((todo) => todo.id === id)) return todos;
  const status = stringField(input, 'status');
  if (status === 'deleted') return todos.filter((todo) => todo.id !== id);
  const content = stringField(input, 'subject');
  const activeForm = stringField(input, 'activeForm');
  return todos.map((todo) => (todo.id === id ? withFields(todo, { content, status, activeForm }) : todo));
}

/** The todo with those fields that are set. */
function withFields(todo: Todo, fields: { readonly [Field in keyof Todo]?: Todo[Field] | undefined }): Todo {
  return { ...todo, ...omitUndefined(fields) };
}
