import type { Span } from '../model/view-data.js';
import { byId, el } from './dom.js';
import { formatDuration, formatMs, plural } from './format.js';
import type { Store } from './store.js';
import { visibleLine } from './visible.js';

const LANE_PX = 19;
const BAR_PX = 15;
const TOP_PX = 20;
const MIN_BAR_PX = 3;
const KINDS = ['process', 'turn', 'subagent', 'tool', 'permission', 'question', 'hook', 'mcp', 'request'] as const;
const MARKS = { error: '\u00d7', denied: '\u2298', unknown: '?', cancelled: '\u2013', open: '\u2026', ok: '' } as const;

/** Turns, tools, hooks, permissions and sub-agents as bars over time. */
export class LanesView {
  readonly #store: Store;
  readonly #canvas = byId<HTMLCanvasElement>('lanes-canvas');
  readonly #hover = byId('hover');
  readonly #onPick: (frame: number) => void;
  #from = 0;
  #to = 1;
  #isFit = true;
  #cursor = -1;
  #drag: { readonly x: number; readonly from: number; readonly to: number; moved: boolean } | undefined;

  constructor(store: Store, onPick: (frame: number) => void) {
    this.#store = store;
    this.#onPick = onPick;
    byId('legend').append(
      ...KINDS.map((kind) => {
        const item = el('li', { text: kind === 'mcp' ? 'MCP' : kind === 'subagent' ? 'sub-agent' : kind });
        item.style.setProperty('--key', `var(--${kind})`);
        return item;
      }),
    );
    this.#listen();
    new ResizeObserver(() => this.paint()).observe(byId('lanes'));
    this.fit();
  }

  /** Shows all of the time. */
  fit(): void {
    this.#isFit = true;
    this.#from = 0;
    this.#to = Math.max(1, this.#store.data.durationMs);
    this.paint();
  }

  /** @param factor - below 1: less time. @param at - the time that stays where it is. */
  zoom(factor: number, at = (this.#from + this.#to) / 2): void {
    const whole = Math.max(1, this.#store.data.durationMs);
    const span = Math.min(whole, Math.max(0.5, (this.#to - this.#from) * factor));
    const share = (at - this.#from) / (this.#to - this.#from);
    this.#move(at - share * span, span);
    this.#isFit = span >= whole;
    this.paint();
  }

  /** Marks the time of a frame. */
  mark(frame: number): void {
    this.#cursor = frame;
    const t = this.#store.frames[frame]?.t;
    const span = this.#to - this.#from;
    if (t !== undefined && (t < this.#from || t > this.#to)) this.#move(t - span / 2, span);
    this.paint();
  }

  paint(): void {
    if (this.#isFit) this.#to = Math.max(1, this.#store.data.durationMs);
    const { spans } = this.#store.data;
    byId('lanes-panel').hidden = spans.length === 0;
    const lanes = spans.reduce((most, { lane }) => Math.max(most, lane + 1), 0);
    const width = byId('lanes').clientWidth;
    const height = Math.min(TOP_PX + lanes * LANE_PX + 5, 16_000);
    const ratio = window.devicePixelRatio || 1;
    this.#canvas.style.height = `${height}px`;
    this.#canvas.width = Math.round(width * ratio);
    this.#canvas.height = Math.round(height * ratio);
    this.#canvas.setAttribute('aria-label', `${plural(spans.length, 'span')} in ${plural(lanes, 'lane')}`);
    const context = this.#canvas.getContext('2d');
    if (context === null || width === 0) return;
    context.scale(ratio, ratio);
    const style = getComputedStyle(document.documentElement);
    const color = (name: string): string => style.getPropertyValue(`--${name}`).trim();
    context.font = `11px ${color('sans')}`;
    context.textBaseline = 'middle';
    this.#axis(context, width, height, color);
    for (const span of spans) this.#bar(context, span, width, color);
    const t = this.#store.frames[this.#cursor]?.t;
    if (t === undefined) return;
    const x = Math.round(this.#x(t, width)) + 0.5;
    context.strokeStyle = color('accent');
    context.lineWidth = 1.5;
    context.beginPath();
    context.moveTo(x, 0);
    context.lineTo(x, height);
    context.stroke();
  }

  #axis(context: CanvasRenderingContext2D, width: number, height: number, color: (name: string) => string): void {
    const step = niceStep((this.#to - this.#from) / Math.max(2, width / 110));
    context.fillStyle = color('muted');
    context.strokeStyle = color('line');
    context.lineWidth = 1;
    for (let t = Math.ceil(this.#from / step) * step; t <= this.#to; t += step) {
      const x = Math.round(this.#x(t, width)) + 0.5;
      context.beginPath();
      context.moveTo(x, 0);
      context.lineTo(x, height);
      context.stroke();
      context.fillText(formatDuration(t), x + 4, TOP_PX / 2);
    }
  }

  #bar(context: CanvasRenderingContext2D, span: Span, width: number, color: (name: string) => string): void {
    if (span.end < this.#from || span.start > this.#to) return;
    const { x, w, y } = this.#rect(span, width);
    context.fillStyle = color(span.kind);
    context.fillRect(x, y, w, BAR_PX);
    const isBad = span.state === 'error' || span.state === 'denied' || span.state === 'unknown';
    if (isBad || span.state === 'open') {
      context.strokeStyle = color(isBad ? 'error' : 'warning');
      context.lineWidth = isBad ? 2 : 1.5;
      context.setLineDash(isBad ? [] : [4, 3]);
      context.strokeRect(x + 1, y + 1, Math.max(1, w - 2), BAR_PX - 2);
      context.setLineDash([]);
    }
    const label = `${MARKS[span.state]} ${visibleLine(span.label)}`.trim();
    const left = Math.max(0, x);
    const room = x + w - left - 8;
    if (room < 22) return;
    context.save();
    context.beginPath();
    context.rect(left, y, room + 6, BAR_PX);
    context.clip();
    context.fillStyle = color('text');
    context.fillText(label, left + 4, y + BAR_PX / 2 + 0.5);
    context.restore();
  }

  #rect({ start, end, lane }: Span, width: number): { readonly x: number; readonly w: number; readonly y: number } {
    const x = this.#x(start, width);
    return { x, w: Math.max(MIN_BAR_PX, this.#x(end, width) - x), y: TOP_PX + lane * LANE_PX };
  }

  #x(t: number, width: number): number {
    return 6 + ((t - this.#from) / (this.#to - this.#from)) * (width - 12);
  }

  #timeAt(x: number): number {
    return this.#from + ((x - 6) / (this.#canvas.clientWidth - 12)) * (this.#to - this.#from);
  }

  #move(from: number, span: number): void {
    const whole = Math.max(1, this.#store.data.durationMs);
    this.#from = Math.max(0, Math.min(from, whole - span));
    this.#to = this.#from + span;
  }

  #hit(x: number, y: number): Span | undefined {
    const lane = Math.floor((y - TOP_PX) / LANE_PX);
    const width = this.#canvas.clientWidth;
    const near = (span: Span): boolean => {
      const rect = this.#rect(span, width);
      return span.lane === lane && x >= rect.x - 2 && x <= rect.x + rect.w + 2;
    };
    return this.#store.data.spans.find(near);
  }

  #listen(): void {
    const canvas = this.#canvas;
    canvas.addEventListener('pointerdown', (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.#drag = { x: event.offsetX, from: this.#from, to: this.#to, moved: false };
    });
    canvas.addEventListener('pointermove', (event) => {
      const drag = this.#drag;
      if (drag === undefined) {
        const span = this.#hit(event.offsetX, event.offsetY);
        this.#hover.textContent = span === undefined ? '' : describe(span);
        return;
      }
      const span = drag.to - drag.from;
      const by = ((event.offsetX - drag.x) / canvas.clientWidth) * span;
      if (Math.abs(event.offsetX - drag.x) > 3) drag.moved = true;
      if (!drag.moved) return;
      this.#move(drag.from - by, span);
      this.paint();
    });
    canvas.addEventListener('pointerup', (event) => {
      const hasMoved = this.#drag?.moved === true;
      this.#drag = undefined;
      const span = hasMoved ? undefined : this.#hit(event.offsetX, event.offsetY);
      if (span !== undefined) this.#onPick(span.frame);
    });
    canvas.addEventListener('pointercancel', () => {
      this.#drag = undefined;
    });
    canvas.addEventListener(
      'wheel',
      (event) => {
        if (!event.ctrlKey && !event.metaKey) return;
        event.preventDefault();
        this.zoom(event.deltaY > 0 ? 1.25 : 0.8, this.#timeAt(event.offsetX));
      },
      { passive: false },
    );
  }
}

function describe({ kind, label, start, end, state, id }: Span): string {
  const took = state === 'open' ? 'still open' : formatDuration(end - start);
  return `${kind} ${visibleLine(label)} · ${took} · from ${formatMs(start)} ms · ${state}${id === undefined ? '' : ` · ${visibleLine(id)}`}`;
}

/** 1, 2 or 5 times a power of ten. */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 0.01)));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least) ?? least;
}
