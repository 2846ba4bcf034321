type SettingEffort = 'low' | 'medium' | 'high' | 'xhigh';
type CacheTtl = '5m' | '1h';

interface EffortSettings {
  effortLevel?: SettingEffort;
  maxEffortLevel?: SettingEffort | 'max';
}

/** Models: which, how hard they think, what they cost. */
export interface ModelSettings extends EffortSettings {
  model?: string;
  fallbackModel?: string[];
  /** Policy: the models that may be chosen. */
  availableModels?: string[];
  enforceAvailableModels?: boolean;
  availableModelsMatch?: 'prefix' | 'exact';
  deniedModels?: string[];
  /** What a provider calls a model, by the model's name. */
  modelOverrides?: { [model: string]: string };
  modelPicker?: {
    options: { model: string; label?: string; description?: string; behavesAs?: string }[];
    replaceBuiltInOptions?: boolean;
  };
  /** US dollars per million tokens. */
  modelPricing?: {
    multiplier?: number;
    overrides?: {
      [model: string]: { input: number; output: number; cacheRead: number; cacheWrite: number };
    };
  };
  modelSettings?: {
    [model: string]: EffortSettings & {
      /** Tokens. */
      autoCompactWindow?: 'auto' | number;
      [setting: string]: unknown;
    };
  };
  advisorModel?: string;
  switchModelsOnFlag?: boolean;
  alwaysThinkingEnabled?: boolean;
  showThinkingSummaries?: boolean;
  ultracode?: boolean;
  fastMode?: boolean;
  fastModePerSessionOptIn?: boolean;
  promptCacheTtl?: CacheTtl;
  subagentPromptCacheTtl?: CacheTtl;
  /** Tokens. */
  autoCompactWindow?: number;
  autoCompactEnabled?: boolean;
  precomputeCompactionEnabled?: boolean;
  idleCompaction?: boolean;
}
