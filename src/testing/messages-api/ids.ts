/** Ids as they look in recordings: `req_fake_0001`. */
export function countedId(prefix: 'req' | 'msg' | 'toolu', number: number): string {
  return `${prefix}_fake_${String(number).padStart(4, '0')}`;
}

/** Counts one kind of id, from 1. */
export function idCounter(prefix: 'req' | 'msg' | 'toolu'): () => string {
  let count = 0;
  return () => {
    count += 1;
    return countedId(prefix, count);
  };
}
