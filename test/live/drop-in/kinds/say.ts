/** Prints one labelled value as a line of JSON, as `programs/say.mjs` does. */
export function say(label: string, value: unknown): void {
  console.log(JSON.stringify({ label, value: value === undefined ? '<undefined>' : value }));
}
