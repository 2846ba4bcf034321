import type { KillSignal } from '../scenario/scenario-types.js';
import type { ScriptItem, SentFrame } from '../script/script-item.js';
import { checked } from './check-arguments.js';

/** What can go wrong with a CLI, one line each. All are script items. */
export const faults = checked(
  {
    /**
     * The process ends in the middle of a frame.
     * @param atByte - How much of the line still leaves. @defaultValue the first half
     * @param exitCode - @defaultValue 1
     */
    cut(
      frame: SentFrame,
      { atByte, exitCode = 1 }: { readonly atByte?: number; readonly exitCode?: number } = {},
    ): ScriptItem {
      const line = Buffer.from(JSON.stringify(frame));
      const bytes = line.subarray(0, atByte ?? Math.floor(line.length / 2));
      return [{ bytes: bytes.toString('base64') }, { exit: exitCode }];
    },

    /**
     * Nothing more comes. The process leaves when its input ends.
     * @param ignoresEnd - It does not: only SIGKILL ends it. @defaultValue false
     */
    stall({ ignoresEnd = false }: { readonly ignoresEnd?: boolean } = {}): ScriptItem {
      return ignoresEnd ? [{ ignore: ['EOF', 'SIGTERM'] }, { wait: 'forever' }] : { wait: 'EOF', timeoutMs: 0 };
    },

    /** The process ends here. @defaultValue exit code 1, no signal, nothing on stderr */
    crash({
      exitCode = 1,
      signal,
      stderr,
    }: {
      readonly exitCode?: number;
      readonly signal?: KillSignal;
      readonly stderr?: string;
    } = {}): ScriptItem {
      return [
        stderr === undefined ? [] : { stderr: `${stderr}\n` },
        signal === undefined ? { exit: exitCode } : { kill: signal },
      ];
    },

    /** The process refuses to start: a text on stderr, an exit code, no message. Put it first. */
    refuse(message = 'error: refused', exitCode = 1): ScriptItem {
      return [{ stderr: `${message}\n` }, { exit: exitCode }];
    },

    /** A line that is not JSON. */
    garbage(text = 'Warning: this is not JSON'): ScriptItem {
      return { raw: `${text}\n` };
    },

    /**
     * The frame arrives in pieces.
     * @param cut - Bytes in a piece, or the offsets of the cuts. @defaultValue inside every character of several bytes;
     *   in the middle when there is none
     */
    split(frame: SentFrame, cut?: number | readonly number[]): ScriptItem {
      const raw = `${JSON.stringify(frame)}\n`;
      return { raw, cut: cut ?? tornCharacters(raw) };
    },

    /** The same items with a pause before each. */
    slow(items: readonly ScriptItem[], delayMs: number): ScriptItem {
      return items.map((item) => [{ delayMs }, item]);
    },

    /** The CLI closes its input: what the application writes next fails (EPIPE). */
    closeInput(): ScriptItem {
      return { stdin: 'close' };
    },

    /** The CLI closes its output and lives on. */
    closeOutput(): ScriptItem {
      return { stdout: 'close' };
    },
  },
  'faults.',
);

/** Offsets inside the characters that take more than one byte. */
function tornCharacters(text: string): readonly number[] {
  const bytes = Buffer.from(text);
  const inside = [...bytes.keys()].filter((at) => ((bytes[at] ?? 0) & 0xc0) === 0x80);
  return inside.length === 0 ? [Math.floor(bytes.length / 2)] : inside;
}
