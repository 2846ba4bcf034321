import type { ModelPrice } from './entry.js';
import type { FiguresByModel, TokenCounts } from './usage.js';

/**
 * How the list prices of a model relate to each other, as CLI 2.1.330 reckons: models differ in the price of a cache
 * read. Writes are those to the 5-minute cache.
 */
const LIST_RATIOS: readonly ModelPrice[] = [
  { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 },
  { input: 1, output: 5, cacheRead: 0.05, cacheWrite: 1.25 },
];

/** Prices are round: a multiple of this many US dollars for a million tokens. */
const STEP_USD = 0.001;
const MILLION = 1_000_000;
/** Of what floating point adds to a sum of costs. */
const NOISE = 1e-7;

/** A ratio that explains every cost that was reported, and its factor in US dollars. */
interface Fit {
  readonly ratio: ModelPrice;
  readonly factor: number;
}

/**
 * Tells the cost of a part of a model's tokens: the CLI reports costs by model only. Finds the prices that explain what
 * it reported, exactly, so that the parts of a model add up to its cost.
 */
export class CostShares {
  readonly #priceOf: (model: string) => ModelPrice | undefined;
  /** By the bare name of the model. Empty: no prices explain its costs. */
  readonly #fits = new Map<string, readonly Fit[]>();

  /** @param priceOf - Prices that are tried first; only their ratio counts. */
  constructor(priceOf: (model: string) => ModelPrice | undefined = () => undefined) {
    this.#priceOf = priceOf;
  }

  /** What the CLI reports, for instance of a turn. */
  add(models: FiguresByModel): void {
    for (const [model, { costUsd, ...tokens }] of models) {
      if (costUsd === undefined || costUsd <= 0) continue;
      const name = bare(model);
      const before = this.#fits.get(name);
      const own = this.#priceOf(model);
      const ratios = before?.map(({ ratio }) => ratio) ?? (own === undefined ? LIST_RATIOS : [own, ...LIST_RATIOS]);
      const fits = ratios.flatMap((ratio, index) => {
        const factor = costUsd / weigh(tokens, ratio);
        const known = before?.[index]?.factor;
        const isFit = known === undefined ? isRound(factor * ratio.input) : Math.abs(factor / known - 1) < NOISE;
        return isFit ? [{ ratio, factor: known ?? factor }] : [];
      });
      this.#fits.set(name, fits);
    }
  }

  /** US dollars of these tokens; `undefined`: the model's cost was not reported, or no prices explain it. */
  of(model: string, tokens: TokenCounts): number | undefined {
    const costs = (this.#fits.get(bare(model)) ?? []).map(({ ratio, factor }) => factor * weigh(tokens, ratio));
    const [cost] = costs;
    // Several fit while nothing was used that tells them apart.
    return cost !== undefined && costs.every((each) => Math.abs(each - cost) <= cost * NOISE) ? cost : undefined;
  }

  /** Whether a cost of the model was reported. */
  has(model: string): boolean {
    return this.#fits.has(bare(model));
  }
}

function weigh({ input, output, cacheRead, cacheWrite }: TokenCounts, price: ModelPrice): number {
  return input * price.input + output * price.output + cacheRead * price.cacheRead + cacheWrite * price.cacheWrite;
}

function isRound(usdPerToken: number): boolean {
  const steps = (usdPerToken * MILLION) / STEP_USD;
  return Number.isFinite(steps) && steps > 0.5 && Math.abs(steps - Math.round(steps)) < steps * NOISE;
}

/** The CLI's tables may have a longer name than its messages, such as `claude-opus-5-5[1m]`. */
function bare(model: string): string {
  return model.replace(/\[[^[\]]*\]$/, '');
}
