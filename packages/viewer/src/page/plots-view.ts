import uPlot from 'uplot';
import type { Series } from '../model/view-data.js';
import { byId, el } from './dom.js';
import { formatCount } from './format.js';
import type { Store } from './store.js';

const HEIGHT = 104;
/** On a narrow page the frames need the room. */
const LOW_HEIGHT = 76;
const NARROW_PX = 860;

interface PlotLine {
  readonly name: string;
  readonly series: Series;
  /** Name of the colour. */
  readonly color: string;
}

interface PlotPlan {
  readonly title: string;
  readonly lines: readonly PlotLine[];
  readonly none: string;
  readonly show: (value: number) => string;
}

/** Context, tokens and cost over time. */
export class PlotsView {
  readonly #store: Store;
  readonly #box = byId('plots');
  #plots: uPlot[] = [];

  constructor(store: Store) {
    this.#store = store;
    this.draw();
    new ResizeObserver(() => this.#resize()).observe(this.#box);
  }

  /** Draws them anew, in the colours of now. */
  draw(): void {
    for (const plot of this.#plots) plot.destroy();
    this.#plots = [];
    const { context, inputTokens, outputTokens, costUsd } = this.#store.data.plots;
    const plans: readonly PlotPlan[] = [
      {
        title: 'Context',
        lines: [{ name: 'tokens read by a call', series: context, color: 'accent' }],
        none: 'No call says what it read.',
        show: compact,
      },
      {
        title: 'Tokens',
        lines: [
          { name: 'input', series: inputTokens, color: 'accent' },
          { name: 'output', series: outputTokens, color: 'out' },
        ],
        none: 'Nothing reports tokens.',
        show: compact,
      },
      {
        title: 'Cost',
        lines: [{ name: 'US dollars, as the CLI reports', series: costUsd, color: 'error' }],
        none: 'No result reports a cost.',
        show: (value) => `$${value.toFixed(value !== 0 && value < 0.1 ? 4 : 2)}`,
      },
    ];
    this.#box.replaceChildren(...plans.map((plan) => this.#plot(plan)));
    this.#resize();
    const hasAny = plans.some(({ lines }) => lines.some(({ series }) => series.t.length > 0));
    byId('plots-panel').hidden = !hasAny;
  }

  #plot({ title, lines, none, show }: PlotPlan): HTMLElement {
    const last = lines.flatMap(({ name, series }) => {
      const value = series.v.at(-1);
      return value === undefined ? [] : [`${name} ${show(value)}`];
    });
    const head = el('div', { class: 'plot-head' }, el('h2', { text: title }), el('span', { text: last.join(' · ') }));
    const box = el('div', { class: 'plot' }, head);
    if (last.length === 0) {
      box.append(el('p', { class: 'none', text: none }));
      return box;
    }
    const style = getComputedStyle(document.documentElement);
    const color = (name: string): string => style.getPropertyValue(`--${name}`).trim();
    const axis = { stroke: color('muted'), grid: { stroke: color('line'), width: 1 }, font: `10px ${color('sans')}` };
    const [{ series: first } = { series: { t: [], v: [] } }] = lines;
    const xs = [...first.t.map((t) => t / 1_000)];
    const isOne = xs.length === 1;
    const end = Math.max(this.#store.data.durationMs / 1_000, xs.at(-1) ?? 0);
    // A figure stays until the next one.
    if (end > (xs.at(-1) ?? 0)) xs.push(end);
    const values = lines.map(({ series }) => [
      ...series.v,
      ...(xs.length > series.v.length ? [series.v.at(-1) ?? 0] : []),
    ]);
    const paths = uPlot.paths.stepped?.({ align: 1 });
    const plot = new uPlot(
      {
        ...{
          width: 300,
          height: heightNow(),
          legend: { show: false },
          cursor: { y: false, drag: { x: false, y: false } },
        },
        scales: {
          x: { time: false, range: [0, Math.max(end, 0.001)] },
          y: { range: (_, _min, max) => [0, max * 1.12 || 1] },
        },
        axes: [
          { ...axis, size: 28, values: (_, ticks) => ticks.map((tick) => `${tick} s`) },
          { ...axis, size: 58, space: 24, values: (_, ticks) => ticks.map(show) },
        ],
        series: [
          {},
          ...lines.map(({ name, color: key }) => ({
            ...{ label: name, stroke: color(key), width: 1.75, points: { show: isOne || xs.length < 40, size: 5 } },
            ...(paths === undefined ? {} : { paths }),
          })),
        ],
      },
      [xs, ...values],
      box,
    );
    this.#plots.push(plot);
    return box;
  }

  #resize(): void {
    const width = Math.floor(this.#box.clientWidth / 3) - 17;
    if (width > 60) for (const plot of this.#plots) plot.setSize({ width, height: heightNow() });
  }
}

function heightNow(): number {
  return window.innerWidth > NARROW_PX ? HEIGHT : LOW_HEIGHT;
}

function compact(value: number): string {
  // There are no half tokens.
  if (!Number.isInteger(value)) return '';
  if (value >= 1_000_000) return `${(value / 1_000_000).toFixed(1)}M`;
  if (value >= 10_000) return `${Math.round(value / 1_000)}k`;
  return formatCount(Math.round(value));
}
