/**
 * An error as the driver protocol has it.
 *
 * @param {unknown} error
 * @param {(error: Error) => { kind: string } & Record<string, unknown>} classify - What the SDK means by it: `kind`, and
 *   `exit_code` and `signal` where they apply.
 */
export function normalError(error, classify) {
  if (!(error instanceof Error)) {
    return { kind: 'other', message: String(error), class: typeof error };
  }
  const named = error.name === 'Error' ? error.constructor.name : error.name;
  return { message: error.message, class: named, ...classify(error) };
}
