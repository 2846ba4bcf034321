/** Reasons a `SessionEnd` hook can be given for the end of a session. */
export const EXIT_REASONS = ['clear', 'resume', 'logout', 'prompt_input_exit', 'other'] as const;
