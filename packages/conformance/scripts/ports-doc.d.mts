export interface PortResults {
  readonly port: string;
  readonly scenarios: Readonly<
    Record<string, { readonly level: string; readonly status: string; readonly cause?: string }>
  >;
}

export interface PortGroup {
  readonly what?: string;
  readonly where?: string;
  readonly notJudged?: string;
  readonly checks?: readonly string[];
  readonly scenarios?: string;
  readonly cause?: string;
  readonly isSeenOnlyThere?: boolean;
}

export interface JudgedPort {
  readonly port: PortResults;
  readonly groups: readonly (Omit<PortGroup, 'scenarios'> & { readonly scenarios: readonly string[] })[];
  readonly unjudged: readonly (readonly [string, string])[];
}

export function judge(
  port: PortResults,
  groups: readonly PortGroup[],
  checked?: { readonly seen: Readonly<Record<string, readonly string[]>> },
): JudgedPort;

export function portsPage(read: (name: string) => unknown): string;
