/** Something that cannot be shown: the message says what, why and what to try. */
export class ViewError extends Error {
  override name = 'ViewError';
  /** The argument or option that cannot be used. */
  readonly argument: string;

  constructor(argument: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.argument = argument;
  }
}
