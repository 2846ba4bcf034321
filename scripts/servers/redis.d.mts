export interface RedisServer {
  readonly port: number;
  readonly url: string;
  /** Its data. */
  readonly folder: string;
  readonly pid: number | undefined;
  kill(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

export function haveRedis(): Promise<boolean>;
export function startRedis(options?: { readonly args?: readonly string[] }): Promise<RedisServer>;
export function freePort(): Promise<number>;
