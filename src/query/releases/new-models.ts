/** The models of agents that every release takes. */
const OLD_MODELS: ReadonlySet<unknown> = new Set(['sonnet', 'opus', 'haiku', 'inherit', 'opusplan', 'sonnet[1m]']);

/** Whether older releases do not take this as the model of an agent. */
export function isNewModel(model: unknown): boolean {
  return model !== undefined && !OLD_MODELS.has(model);
}
