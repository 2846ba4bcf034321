import type { Known } from './host-identifiers.js';
import type { ScrubRule } from './rules.js';

/** What programs wrap Base64 with, as it is and in JSON inside of texts. */
const BREAK = '(?:\\r\\n|[\\r\\n]|\\\\{1,4}r\\\\{1,4}n|\\\\{1,4}n)[ \\t]{0,16}';
/** 64 columns are those of PEM, 76 those of MIME; `base64 -w` takes any. */
const BLOCK = `(?<![A-Za-z\\d+/_-])[A-Za-z\\d+/_-]{16,1024}(?:${BREAK}[A-Za-z\\d+/_-]{1,1024}){1,4096}`;

/**
 * Finds known secrets in Base64 over several lines, whatever lines they are split by. Such a block loses its line ends.
 * @param cores - What is looked for, with the secret that it is of.
 */
export function wrappedBase64(cores: ReadonlyMap<string, Known>): ScrubRule {
  const breaks = new RegExp(BREAK, 'g');
  const unwrapped = (block: string): string => block.replace(breaks, '');
  const longest = [...cores].sort(([a], [b]) => b.length - a.length);
  return {
    pattern: new RegExp(BLOCK, 'g'),
    hint: { test: (text) => cores.size > 0 && /[A-Za-z\d+/_-]{16}(?:[\r\n]|\\{1,4}[rn])/.test(text) },
    replacement: (block) => {
      const joined = unwrapped(block);
      const found = longest.filter(([core]) => joined.includes(core));
      const [first] = found;
      if (first === undefined) return { kind: '', text: block };
      const text = found.reduce((rest, [core, by]) => rest.replaceAll(core, by.text), joined);
      return { kind: first[1].kind, text };
    },
  };
}
