import type { Attributes } from '@opentelemetry/api';
import type { AgentContext, ChatContext } from 'claudewire';
import { OWN } from '../conventions.js';
import { CostShares } from '../ledger/cost-shares.js';
import { countsOfUsage, type FiguresByModel, NO_TOKENS, sum, type TokenCounts } from '../ledger/usage.js';
import { tokensOfCounts, usageAttributes } from './usage.js';

/** What one sub-agent used so far, by model. */
interface Used {
  readonly models: Map<string, TokenCounts>;
  answers: number;
}

/** What the sub-agents of a run used, by their answers, and what that cost. */
export class AgentUsage {
  readonly #used = new WeakMap<AgentContext, Used>();
  readonly #shares = new CostShares();

  /** What the CLI reports of a turn. */
  addTurn(models: FiguresByModel): void {
    this.#shares.add(models);
  }

  addAnswer({ agent, model, usage }: ChatContext): void {
    const tokens = countsOfUsage(usage);
    if (agent === undefined || model === undefined || tokens === undefined) return;
    const used = this.#used.get(agent) ?? { models: new Map(), answers: 0 };
    used.models.set(model, sum(used.models.get(model) ?? NO_TOKENS, tokens));
    used.answers += 1;
    this.#used.set(agent, used);
  }

  /** Of the whole sub-agent; none when its answers are not all known. Nested sub-agents have their own. */
  attributes(agent: AgentContext): Attributes {
    const used = this.#used.get(agent);
    if (!agent.isUsageFinal || used === undefined) return {};
    const costs = [...used.models].map(([model, tokens]) => this.#shares.of(model, tokens));
    const total = [...used.models.values()].reduce(sum, NO_TOKENS);
    return {
      ...usageAttributes(tokensOfCounts(total), true),
      [OWN.ANSWERS]: used.answers,
      ...(costs.includes(undefined) ? {} : { [OWN.COST]: costs.reduce<number>((all, cost = 0) => all + cost, 0) }),
    };
  }

  /** Whether costs of its models were reported. */
  isPriced(agent: AgentContext): boolean {
    const models = [...(this.#used.get(agent)?.models.keys() ?? [])];
    return models.every((model) => this.#shares.has(model));
  }
}
