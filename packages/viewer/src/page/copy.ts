import { convertRecording, formatScenario, readRecording } from 'claudewire/testing';
import type { BodyStore } from './body-store.js';
import { byId, el } from './dom.js';
import { plural } from './format.js';
import type { Store } from './store.js';

/** More frames are better converted from the file. */
const MAX_FRAMES = 5_000;

/** Frames as text for somewhere else. */
export class Copier {
  readonly #store: Store;
  readonly #bodies: BodyStore;

  constructor(store: Store, bodies: BodyStore) {
    this.#store = store;
    this.#bodies = bodies;
  }

  async frame(frame: number): Promise<void> {
    await this.#attempt(async () => {
      const { text, isWhole } = await this.#bodies.read(frame);
      return [text, isWhole ? 'Copied the frame.' : 'Copied the begin of the frame: it is cut here.'];
    });
  }

  /** Lines of a recording, with a first line that says what they are. */
  async fixture(frames: readonly number[]): Promise<void> {
    await this.#attempt(async () => [
      await this.#lines(frames),
      `Copied ${plural(frames.length, 'line')} of a recording.`,
    ]);
  }

  /** What `claudewire scenario from` makes of these lines. */
  async scenario(frames: readonly number[]): Promise<void> {
    await this.#attempt(async () => {
      const conversion = convertRecording(readRecording(await this.#lines(frames)));
      const left = conversion.notConverted.map(({ what, why }) => `${what}: ${why}`);
      const note = left.length === 0 ? '' : ` Not converted: ${left.join('; ')}`;
      return [formatScenario(conversion), `Copied a scenario of ${plural(frames.length, 'frame')}.${note}`];
    });
  }

  async #lines(frames: readonly number[]): Promise<string> {
    const { source } = this.#store.data;
    const command = `claudewire scenario from ${source.name}`;
    if (frames.length > MAX_FRAMES) {
      throw new Error(`${plural(frames.length, 'frame')} are too many to copy, ${MAX_FRAMES} at most. Try: ${command}`);
    }
    // The first line of a recording says what it is; the copy has its own.
    const isFirst = (frame: number): boolean => this.#store.frames[frame]?.kind === 'meta/recording';
    const about = `${plural(frames.length, 'frame')} of ${source.name}`;
    const cli = source.cliVersion === undefined ? {} : { cli_version: source.cliVersion };
    const lines = [JSON.stringify({ t: 0, dir: 'meta', data: { scenario: 'copied', about, ...cli } })];
    for (const index of frames.filter((frame) => !isFirst(frame))) {
      const frame = this.#store.frames[index];
      if (frame === undefined) continue;
      const { text, isWhole } = await this.#bodies.read(index);
      if (!isWhole) {
        throw new Error(
          `Frame ${index + 1} is cut here: the whole of it is in line ${frame.line} of the source. Try: ${command}`,
        );
      }
      const proc = frame.proc === 1 ? '' : `,"proc":${frame.proc}`;
      lines.push(`{"t":${frame.t},"dir":"${frame.dir}"${proc},"data":${text}}`);
    }
    return `${lines.join('\n')}\n`;
  }

  async #attempt(make: () => Promise<readonly [string, string]>): Promise<void> {
    try {
      const [text, note] = await make();
      await put(text, note);
    } catch (error) {
      toast(error instanceof Error ? error.message : String(error));
    }
  }
}

async function put(text: string, note: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast(note);
  } catch {
    // No permission, or no secure page: the text is shown, to be copied by hand.
    const area = el('textarea');
    area.value = text;
    area.readOnly = true;
    area.setAttribute('aria-label', 'What to copy');
    showDialog('copied', 'Copy this', area);
    area.select();
  }
}

let toastTimer: number | undefined;

/** Says something for a few seconds. */
export function toast(text: string): void {
  byId('toast').textContent = text;
  clearTimeout(toastTimer);
  toastTimer = window.setTimeout(() => {
    byId('toast').textContent = '';
  }, 6_000);
}

export function showDialog(id: string, title: string, content: Node): void {
  const dialog = byId<HTMLDialogElement>(id);
  const close = el('button', { class: 'close', text: 'Close' });
  close.addEventListener('click', () => dialog.close());
  dialog.replaceChildren(el('h2', { text: title }), content, el('div', {}, close));
  if (!dialog.open) dialog.showModal();
}
