/**
 * Marks, as an element of its own in a `systemPrompt` list, where the part ends that many sessions share and that
 * the API may cache across them. What follows belongs to one session.
 */
export const SYSTEM_PROMPT_DYNAMIC_BOUNDARY = '__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__';
