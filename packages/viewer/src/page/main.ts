import { toast } from './copy.js';
import { byId, el } from './dom.js';
import { Store } from './store.js';
import { useTheme } from './theme.js';
import { Viewer } from './viewer.js';

let viewer: Viewer | undefined;
const switchTheme = useTheme(() => viewer?.redraw());
byId('theme').addEventListener('click', switchTheme);

Store.ofPage().then(
  (store) => {
    viewer = new Viewer(store, switchTheme);
    document.documentElement.dataset.ready = 'true';
    // Twice: the first is before the paint, the second after it.
    requestAnimationFrame(() => requestAnimationFrame(() => performance.mark('shown')));
  },
  (error: unknown) => {
    const text = error instanceof Error ? error.message : String(error);
    byId('rows').append(el('p', { class: 'empty', text: `This page cannot be read: ${text}` }));
    toast(text);
  },
);
