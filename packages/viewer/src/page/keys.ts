import type { Severity } from '../model/view-data.js';
import { showDialog } from './copy.js';
import { byId, el } from './dom.js';

export interface KeyActions {
  readonly move: (by: number, extend: boolean) => void;
  readonly page: (by: number, extend: boolean) => void;
  /** `-1`: the first frame, `1`: the last. */
  readonly toEnd: (end: 1 | -1) => void;
  readonly next: (step: 1 | -1, severity?: Severity) => void;
  readonly toPeer: () => void;
  readonly toggle: () => void;
  readonly selectAll: () => void;
  readonly copyFrame: () => void;
  readonly copyFixture: () => void;
  readonly copyScenario: () => void;
  readonly switchTheme: () => void;
  readonly showKeys: () => void;
  /** Without a factor: all of the time. */
  readonly zoom: (factor?: number) => void;
}

const KEYS: readonly (readonly [string, string])[] = [
  ['↑ ↓ or k j', 'move; with Shift select'],
  ['PgUp PgDn Home End', 'move far'],
  ['n N', 'next and previous fault'],
  ['e E', 'next and previous error'],
  ['p', 'from a request to its answer, and back'],
  ['/', 'search; Esc goes back to the list'],
  ['x', 'select this frame too, or not any more'],
  ['Ctrl+A', 'select all that are shown'],
  ['c', 'copy the frame'],
  ['f', 'copy the selected frames as a fixture'],
  ['s', 'copy the selected frames as a scenario'],
  ['+ − 0', 'less time in the lanes, more, all; also Ctrl and the wheel'],
  ['t', 'light or dark'],
  ['?', 'this list'],
];

export function showKeys(): void {
  const rows = KEYS.map(([key, what]) =>
    el('tr', {}, el('td', {}, el('kbd', { text: key })), el('td', { text: what })),
  );
  showDialog('keys', 'Keys', el('table', {}, el('tbody', {}, ...rows)));
}

export function listenToKeys(actions: KeyActions): void {
  const search = byId<HTMLInputElement>('search');
  const list = byId('list');
  addEventListener('keydown', (event) => {
    const { target, key, shiftKey } = event;
    const isTyping = target instanceof HTMLElement && target.matches('input, textarea, select');
    if (isTyping) {
      if (key === 'Escape' || (key === 'Enter' && target === search)) list.focus();
      return;
    }
    if (document.querySelector('dialog[open]') !== null || event.altKey) return;
    if (event.ctrlKey || event.metaKey) {
      if (key !== 'a' || target !== list) return;
      event.preventDefault();
      actions.selectAll();
      return;
    }
    // A button takes these itself.
    if (target instanceof HTMLButtonElement && (key === 'Enter' || key === ' ')) return;
    const act = actionOf(key, shiftKey, actions, search);
    if (act === undefined) return;
    event.preventDefault();
    act();
  });
}

function actionOf(key: string, isShift: boolean, actions: KeyActions, search: HTMLElement): (() => void) | undefined {
  const known: Readonly<Record<string, () => void>> = {
    ArrowDown: () => actions.move(1, isShift),
    ArrowUp: () => actions.move(-1, isShift),
    j: () => actions.move(1, false),
    k: () => actions.move(-1, false),
    J: () => actions.move(1, true),
    K: () => actions.move(-1, true),
    PageDown: () => actions.page(1, isShift),
    PageUp: () => actions.page(-1, isShift),
    Home: () => actions.toEnd(-1),
    End: () => actions.toEnd(1),
    n: () => actions.next(1),
    N: () => actions.next(-1),
    e: () => actions.next(1, 'error'),
    E: () => actions.next(-1, 'error'),
    p: actions.toPeer,
    '/': () => search.focus(),
    x: actions.toggle,
    c: actions.copyFrame,
    f: actions.copyFixture,
    s: actions.copyScenario,
    t: actions.switchTheme,
    '?': actions.showKeys,
    '+': () => actions.zoom(0.5),
    '-': () => actions.zoom(2),
    '0': () => actions.zoom(),
  };
  return Object.hasOwn(known, key) ? known[key] : undefined;
}
