export interface Proxy {
  /** The port that speaks HTTP/1.1. */
  readonly http1: number;
  /** The port that speaks HTTP/2, without TLS. */
  readonly http2: number;
  /** Ends it. Resolves with what it printed. */
  stop(): Promise<string | undefined>;
}

export function haveNginx(): Promise<boolean>;
export function haveHaproxy(): Promise<boolean>;
export function startNginx(options: { to: number; compresses: boolean }): Promise<Proxy>;
export function startHaproxy(options: { to: number; compresses: boolean }): Promise<Proxy>;
