import fc from 'fast-check';
import { expect, test } from 'vitest';
import { literal, match, Variables } from '../../src/testing/player/patterns.js';
import { MemoryProcess } from '../../src/testing/scripted/memory-play-host.js';
import type { JsonObject } from '../../src/util/json.js';

const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('$x', '$$x', '$', '$_', '$absent', '$5'));
const json = fc.jsonValue().chain((value) => fc.constantFrom(value, [value]));
const data = fc.dictionary(
  fc.string().filter((key) => key !== '__proto__'),
  fc.oneof(json, text),
);

test('a literal pattern matches its value, and captures nothing', () => {
  fc.assert(
    fc.property(data, (value) => {
      const result = match(literal(value), value, new Variables());
      expect(result).toEqual({ ok: true, captured: new Map() });
    }),
  );
});

test('a literal answer is filled to itself, unless a text embeds a variable', () => {
  fc.assert(
    fc.property(data, (value) => {
      fc.pre(!JSON.stringify(value).includes('${'));
      expect(new Variables().fill(literal(value) as JsonObject)).toEqual(value);
    }),
  );
});

test('where bytes are cut never changes the lines that a process in memory reads', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: 'grapheme' }).filter((line) => !line.includes('\n'))),
      fc.string({ unit: 'grapheme' }).filter((line) => !line.includes('\n')),
      fc.array(fc.nat(40), { maxLength: 8 }),
      async (lines, rest, cuts) => {
        const process = new MemoryProcess(() => {});
        const got: string[] = [];
        const ended = new Promise<string>((resolve) => {
          process.inside.stdin.read({ onLine: (line) => got.push(line), onEof: resolve });
        });
        let bytes = Buffer.from(lines.map((line) => `${line}\n`).join('') + rest);
        for (const cut of cuts) {
          process.stdin.write(bytes.subarray(0, cut));
          bytes = bytes.subarray(cut);
        }
        process.stdin.end(bytes);
        expect(await ended).toBe(rest);
        expect(got).toEqual(lines);
      },
    ),
  );
});
