/** Whether an expression is valid with the flag `u`, as JSON Schema has it. It is compiled and never run. */
export function isUnicodePattern(source: string): boolean {
  try {
    new RegExp(source, 'u');
    return true;
  } catch {
    return false;
  }
}
