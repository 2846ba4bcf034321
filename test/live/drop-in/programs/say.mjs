/** Prints one labelled value as a line of JSON. What JSON cannot carry is named instead of dropped. */
export function say(label, value) {
  console.log(JSON.stringify({ label, value }, named));
}

/** What programs that show an error go by. */
export function errorFacts(error) {
  return error instanceof Error ? { message: error.message } : { thrown: error };
}

/** What a call resolves to, or the error it ends with. */
export async function outcome(call) {
  try {
    return { value: await call() };
  } catch (error) {
    return { error: errorFacts(error) };
  }
}

function named(_key, value) {
  if (value === undefined) return '<undefined>';
  if (typeof value === 'function') return '<function>';
  if (value instanceof AbortSignal) return `<signal, aborted: ${value.aborted}>`;
  return value;
}
