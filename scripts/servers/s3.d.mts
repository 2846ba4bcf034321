export interface S3Server {
  readonly port: number;
  readonly url: string;
  readonly pid: number | undefined;
  stop(): Promise<void>;
}

export function haveS3(): Promise<boolean>;
export function startS3(): Promise<S3Server>;
