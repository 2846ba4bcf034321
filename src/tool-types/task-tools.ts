/** The to-do list (TodoWrite), the task list (TaskCreate, TaskGet, TaskUpdate, TaskList), and TaskStop. */

type TaskStatus = 'pending' | 'in_progress' | 'completed';

type Todo = {
  content: string;
  status: TaskStatus;
  /** While it is worked on: `Running tests`. */
  activeForm: string;
};

export type TodoWriteInput = {
  todos: Todo[];
};

export type TodoWriteOutput = {
  oldTodos: Todo[];
  newTodos: Todo[];
};

export type TaskCreateInput = {
  subject: string;
  description: string;
  activeForm?: string;
  metadata?: { [key: string]: unknown };
};

export type TaskCreateOutput = {
  task: { id: string; subject: string; description?: string };
};

export type TaskGetInput = {
  taskId: string;
};

export type TaskGetOutput = {
  /** `null`: no task of this id. */
  task: {
    id: string;
    subject: string;
    description: string;
    status: TaskStatus;
    blocks: string[];
    blockedBy: string[];
  } | null;
};

export type TaskUpdateInput = {
  taskId: string;
  subject?: string;
  description?: string;
  activeForm?: string;
  status?: TaskStatus | 'deleted';
  /** Ids of tasks that wait for this one. */
  addBlocks?: string[];
  /** Ids of tasks that this one waits for. */
  addBlockedBy?: string[];
  owner?: string;
  /** Merged; `null` removes a key. */
  metadata?: { [key: string]: unknown };
};

export type TaskUpdateOutput = {
  success: boolean;
  taskId: string;
  updatedFields: string[];
  error?: string;
  statusChange?: { from: string; to: string };
};

// biome-ignore lint/suspicious/noEmptyInterface: the tool takes nothing
export interface TaskListInput {}

export type TaskListOutput = {
  tasks: {
    id: string;
    subject: string;
    status: TaskStatus;
    owner?: string;
    blockedBy: string[];
  }[];
};

/** Stops a background task. */
export type TaskStopInput = {
  task_id?: string;
  /** @deprecated Use `task_id`. */
  shell_id?: string;
};

export type TaskStopOutput = {
  message: string;
  task_id: string;
  task_type: string;
  command?: string;
};
