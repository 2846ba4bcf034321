import { custom } from '../../util/validate.js';
import { UnsupportedParameterError } from '../errors/config-errors.js';
import { readFields } from '../options/read-fields.js';

/** Parameters of the model, under the names that other providers have for them. */
export interface ClaudeAgentModelConfig {
  /** Wins over the adapter's `model`. */
  readonly model?: string | undefined;
  /** Accepted and not sent: the CLI has no counterpart. A warning is logged once. */
  readonly temperature?: number | undefined;
  /** As `temperature`. */
  readonly maxTokens?: number | undefined;
  /** As `temperature`. */
  readonly topP?: number | undefined;
  /** Refused: a result without it would be another one. */
  readonly presencePenalty?: number | undefined;
  /** Refused. */
  readonly frequencyPenalty?: number | undefined;
  /** Refused. */
  readonly stop?: string | readonly string[] | undefined;
  /** Refused. */
  readonly seed?: number | undefined;
}

interface ResolvedModelConfig {
  readonly model: string | undefined;
  /** Names of parameters that were given and have no effect. */
  readonly ignored: readonly string[];
}

const IGNORED = ['temperature', 'maxTokens', 'topP'] as const;
const REFUSED = ['frequencyPenalty', 'presencePenalty', 'seed', 'stop'] as const;

/**
 * Checks a configuration. Pure.
 *
 * @throws {@link UnsupportedParameterError} naming every parameter that cannot be honoured.
 * @throws {@link AdapterConfigError} a field that does not exist, or is of the wrong type.
 */
export function resolveModelConfig(config: ClaudeAgentModelConfig = {}): ResolvedModelConfig {
  const read = readFields(config, 'modelConfig', ['model', ...IGNORED, ...REFUSED]);
  const refused = REFUSED.filter((name) => config[name] !== undefined);
  if (refused.length > 0) throw new UnsupportedParameterError(refused);
  read.check('model', modelName);
  for (const name of IGNORED) {
    read.check(name, finite);
  }
  return { model: config.model, ignored: IGNORED.filter((name) => config[name] !== undefined) };
}

export const modelName = custom(
  'the name of a model',
  (value) => typeof value === 'string' && value.trim() !== '',
);

const finite = custom('a number', Number.isFinite);
