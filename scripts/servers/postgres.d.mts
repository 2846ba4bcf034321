export interface PostgresServer {
  readonly port: number;
  /** Its unix socket is in it. */
  readonly folder: string;
  /** Of the database `postgres`, over TCP, as a superuser without a password. */
  readonly url: string;
  readonly pid: number | undefined;
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export function havePostgres(): Promise<boolean>;
export function startPostgres(options?: { readonly args?: readonly string[] }): Promise<PostgresServer>;
