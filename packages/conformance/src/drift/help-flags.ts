/** Flags by name, with what they take: `<model>`, `[filter]`, and the choices and the default where the help names them. */
export type Flags = Readonly<Record<string, string>>;

/**
 * Reads the flags of a `--help` text. Descriptions are left out: they are reworded often and mean nothing on the wire.
 * Flags that the CLI does not list are not seen.
 */
export function helpFlags(help: string): Flags {
  const flags: Record<string, string> = {};
  const [, options = ''] = help.split(/^Options:$/m);
  const [section = ''] = options.split(/^[A-Z][a-z]+:$/m);
  // A flag begins two columns in; what follows it further in is its description.
  for (const entry of section.split(/\n(?= {2}-)/)) {
    const text = entry.replaceAll(/\s+/g, ' ').trim();
    const [, names, takes = ''] = /^((?:-{1,2}[\w-]+(?:, )?)+) ?([<[][^>\]]*[>\]](?:\.\.\.)?)?/.exec(text) ?? [];
    if (names === undefined) continue;
    const details = [takes, /\(choices: [^)]*\)/.exec(text)?.[0], /\(default: [^)]*\)/.exec(text)?.[0]];
    const what = details.filter((part) => part !== undefined && part !== '').join(' ');
    for (const name of names.split(', ').filter((each) => each.startsWith('--'))) flags[name.trim()] = what;
  }
  return flags;
}
