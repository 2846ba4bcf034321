export interface ReleasesData {
  readonly published: { readonly date: string; readonly versions: readonly string[] };
  readonly runs: Readonly<
    Record<
      string,
      { readonly date: string; readonly words: Readonly<Record<string, Readonly<Record<string, string>>>> }
    >
  >;
}

export function releasesPage(data: ReleasesData, guards: readonly string[]): string;
