/** AskUserQuestion. */

type QuestionOption = {
  label: string;
  description: string;
  preview?: string;
};

type TwoToFour<T> = [T, T] | [T, T, T] | [T, T, T, T];

type Question = {
  question: string;
  /** A word or two, shown above it. */
  header: string;
  options: TwoToFour<QuestionOption>;
  multiSelect: boolean;
};

type Annotation = {
  /** Of the option that was chosen. */
  preview?: string;
  notes?: string;
};

export type AskUserQuestionInput = {
  questions: [Question] | TwoToFour<Question>;
  /** By question; several labels are joined by commas. A permission callback answers by giving them. */
  answers?: { [question: string]: string };
  annotations?: { [question: string]: Annotation };
  metadata?: { source?: string };
};

export type AskUserQuestionOutput = {
  questions: Question[];
  answers: { [question: string]: string };
  /** What the user said instead of choosing. */
  response?: string;
  annotations?: {
    [question: string]: Annotation & { unanswered?: 'skipped' | 'replied_in_chat' | 'dismissed' };
  };
  /** The user was away for so long. */
  afkTimeoutMs?: number;
};
