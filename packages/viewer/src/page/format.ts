/** Milliseconds for a column. */
export function formatMs(ms: number): string {
  if (!Number.isFinite(ms)) return '';
  if (Math.abs(ms) < 10 && ms !== Math.round(ms)) return ms.toFixed(2);
  return Math.round(ms).toLocaleString('en-US');
}

/** A length of time for reading. */
export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${formatMs(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes} min ${Math.round((ms % 60_000) / 1_000)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return String(bytes);
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(bytes < 10_000 ? 1 : 0)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

/** The same for reading: `39 bytes`, `1.2 kB`. */
export function formatSize(bytes: number): string {
  return bytes < 1_000 ? plural(bytes, 'byte') : formatBytes(bytes);
}

export function formatCount(count: number): string {
  return count.toLocaleString('en-US');
}

/** `1 frame`, `2 frames`. */
export function plural(count: number, word: string): string {
  return `${formatCount(count)} ${word}${count === 1 ? '' : 's'}`;
}
