import { InvalidOptionError } from '../../errors.js';

/** The data package cannot be used: not found, of another format, or at odds with itself. */
export class ConformanceDataError extends InvalidOptionError {
  override name = 'ConformanceDataError';

  constructor(message: string) {
    super('data', message);
  }
}
