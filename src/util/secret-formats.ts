/**
 * Tokens that tell by a public prefix what they are: the kind, the prefix, and the least that follows it. Forms as their
 * makers print them. `npm run secrets` compares them with the newest secretlint (MIT): 12.0.0 on 2026-11-30. Prefixes have
 * no quantifiers, so that a quick look for them can come first.
 */
export const FORMATS: readonly (readonly [kind: string, prefix: string, rest: string])[] = [
  ['anthropic-key', 'sk-ant-', '[\\w-]{4,}'],
  ['jwt', 'eyJ', '(?:(?!-eyJ)[\\w-]){6,}\\.[\\w-]{6,}\\.?[\\w-]*'],
  ['aws-key', 'A(?:KIA|SIA|BIA|CCA)', '[A-Z\\d]{16}(?![A-Z\\d])'],
  ['aws-key', 'ABSK', '[A-Za-z\\d+/]{60,}=*'],
  ['github-token', 'gh[pousr]_', '\\w{20,}'],
  ['github-token', 'github_pat_', '\\w{20,}'],
  ['gitlab-token', 'gl(?:pat|dt|rt|oas|ptt|agent|imt|soat|cbt|ft|ffct)-', '[\\w-]{20,}(?:\\.[\\w-]+)*'],
  ['gitlab-token', 'GR1348941', '[\\w-]{20,}'],
  ['slack-token', 'xox[abceoprs](?:-|\\.xox)', '[\\w-]{9,}'],
  ['slack-token', 'xapp-', '[\\w-]{10,}'],
  ['slack-webhook', 'hooks\\.slack\\.com/', '(?:services|workflows|triggers)/[\\w/+-]{20,}'],
  ['discord-webhook', 'discord(?:app)?\\.com/api/webhooks/', '\\d{6,}/[\\w-]{20,}'],
  ['google-key', 'AIza', '[\\w-]{30,}'],
  ['google-token', 'ya29\\.', '[\\w-]{20,}'],
  ['google-token', 'GOCSPX-', '[\\w-]{20,}'],
  ['google-token', '1//0', '[\\w-]{30,}'],
  ['npm-token', 'npm_', '(?:[A-Za-z\\d]{30,}|\\w{36}(?!\\w))'],
  ['pypi-token', 'pypi-AgE', '[\\w-]{40,}'],
  ['rubygems-token', 'rubygems_', '[a-f\\d]{40,}'],
  ['cargo-token', 'cio', '[A-Za-z\\d]{32}(?![A-Za-z\\d])'],
  ['jfrog-token', 'AKCp', '[A-Za-z\\d]{40,}'],
  ['docker-token', 'dckr_(?:pat|oat)_', '[\\w-]{20,}'],
  ['digitalocean-token', 'do[opr]_v1_', '[a-f\\d]{40,}'],
  ['cloud-token', 'sbp_|sb_secret_', '[\\w-]{20,}'],
  ['cloud-token', 'pscale_(?:tkn|oauth|pw)_', '[\\w-]{20,}'],
  ['cloud-token', 'vc[paikr]_', '[A-Za-z\\d]{20,}'],
  ['cloud-token', 'dapi', '[A-Fa-f\\d]{32}(?![A-Fa-f\\d])'],
  ['cloud-token', 'fo1_|fm2_', '[\\w+/=-]{40,}(?:,fm2_[\\w+/=-]+)*'],
  ['cloud-token', 'pul-', '[a-f\\d]{40}(?![a-f\\d])'],
  ['cloud-token', 'tskey-', '[a-z]{2,16}-[\\w-]{16,}'],
  ['vault-token', 'hv[sbr]\\.', '[\\w-]{20,}'],
  ['vault-token', 'dp\\.(?:pt|st|ct|sa|scim|audit)\\.', '(?:[\\w-]{1,64}\\.)?[\\w-]{20,}'],
  ['vault-token', 'ops_ey', '[\\w+/=-]{40,}'],
  ['age-key', 'AGE-SECRET-KEY-1', '[A-Z\\d]{40,}'],
  ['stripe-key', '[rs]k_(?:live|test)_', '\\w{8,}'],
  ['stripe-key', 'whsec_', '[\\w+/=]{20,}'],
  ['payment-token', 'sq0(?:atp|csp|idp)-', '[\\w-]{20,}'],
  ['payment-token', 'shp(?:at|ca|pa|ss|ua)_', '[A-Za-z\\d]{32,}'],
  ['mail-token', 'SG\\.', '[\\w-]{16,}\\.[\\w-]{16,}'],
  ['mail-token', 'xkeysib-', '[a-f\\d]{40,}'],
  ['mail-token', 're_', '[A-Za-z\\d]{8}_[A-Za-z\\d]{24}(?![A-Za-z\\d])'],
  ['telegram-token', '\\d{8,10}:AA', '[\\w-]{32,}'],
  ['twilio-key', 'SK', '[a-f\\d]{32}(?![A-Za-z\\d])'],
  ['hugging-face-token', 'hf_|api_org_', '[A-Za-z\\d]{30,}'],
  ['model-key', 'gsk_|xai-|pplx-|csk-|fw_|r8_', '[A-Za-z\\d]{24,}'],
  ['model-key', 'nvapi-|pcsk_|jina_', '\\w[\\w-]{39,}'],
  ['model-key', 'tvly-|e2b_', '\\w[\\w-]{19,}'],
  ['model-key', 'fc-', '[a-f\\d]{32}(?![a-f\\d])'],
  ['model-key', 'sk_', '[a-f\\d]{48}(?![a-f\\d])'],
  ['model-key', 'lsv2_(?:pt|sk)_', '[a-f\\d_]{32,}'],
  ['tool-token', 'lin_(?:api|oauth)_', '\\w{30,}'],
  ['tool-token', 'ntn_', '[A-Za-z\\d]{40,}'],
  ['tool-token', 'secret_', '[A-Za-z\\d]{43}(?![A-Za-z\\d])'],
  ['tool-token', 'fig[dour]_', '[\\w-]{20,}'],
  ['tool-token', 'ATATT3|ATCTT3|ATBB', '[\\w=-]{24,}'],
  ['tool-token', 'PMAK-', '[a-f\\d]{24}-[a-f\\d]{30,}'],
  ['tool-token', 'sntry[su]_', '[\\w+/=-]{40,}'],
  ['tool-token', 'gl(?:c|sa)_', '[\\w+/=]{32,}'],
  ['tool-token', 'sgp_', '(?:[a-f\\d]{16}_|local_)?[a-f\\d]{40}'],
  ['tool-token', 'NRAK-', '[A-Z\\d]{27}'],
  ['tool-token', 'bk(?:ua|at)_', '[a-f\\d]{40}'],
  ['tool-token', 'CCIP(?:AT|RJ)_', '\\w{20,}'],
];

/**
 * What may stand before a token: no letter or digit, but for the end of an escape (`\\n` of JSON, `%20`, `\\x3d`) or of a
 * terminal's colour.
 */
export const EDGE =
  '(?:(?<![A-Za-z\\d])|(?<=\\\\(?:[bfnrt]|u[\\da-fA-F]{4}|x[\\da-fA-F]{2})|%[\\da-fA-F]{2}|\\[[\\d;]{0,20}m))';

/** Finds every such token. Global. */
export const TOKENS = new RegExp(
  `${EDGE}(?:${FORMATS.map(([, prefix, rest]) => `(?:${prefix})${rest}`).join('|')})`,
  'g',
);

/** Where this finds nothing, there is none. */
export const TOKEN_HINT = new RegExp(FORMATS.map(([, prefix]) => prefix).join('|'));

const BEGINNINGS = FORMATS.map(([kind, prefix]) => [kind, new RegExp(`^(?:${prefix})`)] as const);

/** The kind of a token that {@link TOKENS} found. */
export function tokenKind(token: string): string {
  return BEGINNINGS.find(([, prefix]) => prefix.test(token))?.[0] ?? 'token';
}
