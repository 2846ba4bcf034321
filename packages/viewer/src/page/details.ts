import type { BodyStore } from './body-store.js';
import { button, byId, el } from './dom.js';
import { formatMs, formatSize, plural } from './format.js';
import { jsonTree } from './json-tree.js';
import type { Store } from './store.js';
import { visible, visibleLine } from './visible.js';

const DIRECTIONS = {
  in: 'written to the CLI',
  out: 'read from the CLI',
  err: 'standard error of the CLI',
  meta: 'a note of the recorder',
} as const;

export interface DetailActions {
  readonly go: (frame: number) => void;
  readonly copyFrame: () => void;
  readonly copyFixture: () => void;
  readonly copyScenario: () => void;
}

/** Everything about one frame. */
export class Details {
  readonly #box = byId('details');
  readonly #store: Store;
  readonly #bodies: BodyStore;
  readonly #actions: DetailActions;
  #shown = -1;

  constructor(store: Store, bodies: BodyStore, actions: DetailActions) {
    this.#store = store;
    this.#bodies = bodies;
    this.#actions = actions;
  }

  /** @param frame - `-1`: none. */
  show(frame: number): void {
    this.#shown = frame;
    const about = this.#store.frames[frame];
    if (about === undefined) {
      this.#box.replaceChildren(el('p', { class: 'empty', text: 'Pick a frame, or press n for the next fault.' }));
      return;
    }
    const { kind, t, dir, proc, line, bytes } = about;
    const place = [
      `frame ${frame + 1}`,
      `${formatMs(t)} ms`,
      DIRECTIONS[dir],
      ...(proc === 1 ? [] : [`process ${proc}`]),
      `line ${line}`,
      formatSize(bytes),
    ];
    const body = el('div', {}, el('p', { class: 'place', text: 'reading…' }));
    this.#box.replaceChildren(
      el('h3', { text: visibleLine(kind) }),
      el('p', { class: 'place', text: place.join(' · ') }),
      ...this.#faults(frame),
      ...this.#exchange(frame),
      this.#buttons(),
      ...this.#text(frame),
      el('p', { class: 'label', text: 'Frame' }),
      body,
    );
    this.#box.scrollTop = 0;
    void this.#fill(frame, body);
  }

  #faults(frame: number): readonly HTMLElement[] {
    const faults = this.#store.faultsAt(frame);
    if (faults.length === 0) return [];
    const items = faults.map(({ kind, severity, text }) =>
      el('li', {}, el('b', { class: `badge ${severity}`, text: kind }), el('bdi', { text: visible(text) })),
    );
    return [el('ul', { class: 'faults' }, ...items)];
  }

  #exchange(frame: number): readonly HTMLElement[] {
    const { peer, state, latencyMs } = this.#store.frames[frame] ?? {};
    if (state === undefined) return [];
    const words = {
      answered: 'Answered',
      error: 'Answered with an error',
      cancelled: 'Cancelled',
      unanswered: 'Never answered',
      open: 'Waits for its answer',
    };
    const took = latencyMs === undefined ? '' : ` after ${formatMs(latencyMs)} ms`;
    const text = el('span', { text: `${words[state]}${took}. ` });
    if (peer === undefined) return [el('p', {}, text)];
    const name = peer > frame ? 'Go to the answer' : 'Go to the request';
    return [
      el(
        'p',
        {},
        text,
        button(name, () => this.#actions.go(peer), 'p'),
      ),
    ];
  }

  #buttons(): HTMLElement {
    const { copyFrame, copyFixture, copyScenario } = this.#actions;
    return el(
      'div',
      { class: 'actions' },
      button('Copy frame', copyFrame, 'Copy this frame as JSON (c)'),
      button('Copy as fixture', copyFixture, 'Copy the selected frames as lines of a recording (f)'),
      button('Copy as scenario', copyScenario, 'Copy the selected frames as a scenario (s)'),
    );
  }

  #text(frame: number): readonly HTMLElement[] {
    const number = this.#store.frames[frame]?.text;
    const text = number === undefined ? undefined : this.#store.data.texts[number];
    if (text === undefined) return [];
    const { kind, pieces, chars } = text;
    const cut = chars > text.text.length ? `, of which ${plural(text.text.length, 'character')} are here` : '';
    const label = `${kind === 'input' ? 'Input of a tool' : kind === 'thinking' ? 'Thinking' : 'Text'}, put together from ${plural(pieces, 'piece')}: ${plural(chars, 'character')}${cut}`;
    return [el('p', { class: 'label', text: label }), el('pre', { text: visible(text.text) })];
  }

  async #fill(frame: number, box: HTMLElement): Promise<void> {
    const parts = await this.#bodyParts(frame).catch((error: unknown) => [
      el('p', { class: 'place', text: error instanceof Error ? error.message : String(error) }),
    ]);
    if (this.#shown === frame) box.replaceChildren(...parts);
  }

  async #bodyParts(frame: number): Promise<HTMLElement[]> {
    const { text, isWhole } = await this.#bodies.read(frame);
    if (isWhole) {
      const value = JSON.parse(text) as unknown;
      return [typeof value === 'string' ? el('pre', { text: visible(value) }) : jsonTree(value)];
    }
    const { line, bytes } = this.#store.frames[frame] ?? { line: 0, bytes: 0 };
    const name = visibleLine(this.#store.data.source.name);
    const note = `The begin of ${formatSize(bytes)}. The whole of it: sed -n ${line}p ${name}`;
    return [el('p', { class: 'place', text: note }), el('pre', { text: visible(text) })];
  }
}
