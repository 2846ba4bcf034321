const ID_LENGTH = 10;

/** A new id for an outbound control request: ten random characters of `0-9a-z`, as the official SDK's ids look. */
export function createRequestId(): string {
  // After "0."; the rare short fraction is filled up.
  return Math.random()
    .toString(36)
    .slice(2, 2 + ID_LENGTH)
    .padEnd(ID_LENGTH, '0');
}
