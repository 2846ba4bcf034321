import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import type { Host } from '../evaluate/adapter-config.js';
import { type CheckItem, failed, passed, warning } from './check-report.js';

/** A cloud provider in place of Anthropic's API, as observed with Claude Code 2.1.330: docs/gateways.md. */
interface Gateway {
  readonly name: string;
  readonly selectedBy: string;
  readonly settings: readonly GatewaySetting[];
  /** Sources of credentials. The variables of one source are needed together. */
  readonly credentials: readonly (readonly string[])[];
  /** Files that the provider's tools write, below the home. */
  readonly credentialFiles: readonly string[];
  /** A gateway adds the credentials: the CLI sends none. */
  readonly skipAuth: string;
  /** Other sources, which are not looked for. */
  readonly otherSources: string;
}

interface GatewaySetting {
  /** One of these is enough. */
  readonly names: readonly string[];
  /** What the CLI does without it. */
  readonly without: string;
  /** No request can be sent without it. */
  readonly isRequired: (childEnv: Host['hostEnv']) => boolean;
}

const never = (): boolean => false;

const GATEWAYS: readonly Gateway[] = [
  {
    name: 'Amazon Bedrock',
    selectedBy: 'CLAUDE_CODE_USE_BEDROCK',
    settings: [{ names: ['AWS_REGION'], without: 'the CLI chooses a region', isRequired: never }],
    credentials: [
      ['AWS_BEARER_TOKEN_BEDROCK'],
      ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'],
      ['AWS_PROFILE'],
      ['AWS_WEB_IDENTITY_TOKEN_FILE', 'AWS_ROLE_ARN'],
      ['AWS_CONTAINER_CREDENTIALS_RELATIVE_URI'],
      ['AWS_CONTAINER_CREDENTIALS_FULL_URI'],
    ],
    credentialFiles: ['.aws/credentials', '.aws/config'],
    skipAuth: 'CLAUDE_CODE_SKIP_BEDROCK_AUTH',
    otherSources: 'the role of the machine',
  },
  {
    name: 'Google Vertex AI',
    selectedBy: 'CLAUDE_CODE_USE_VERTEX',
    settings: [
      {
        names: ['ANTHROPIC_VERTEX_PROJECT_ID'],
        without: 'the credentials have to name the project',
        isRequired: (childEnv) => isOn(childEnv.CLAUDE_CODE_SKIP_VERTEX_AUTH),
      },
      { names: ['CLOUD_ML_REGION'], without: 'the CLI chooses a region', isRequired: never },
    ],
    credentials: [['GOOGLE_APPLICATION_CREDENTIALS']],
    credentialFiles: ['.config/gcloud/application_default_credentials.json'],
    skipAuth: 'CLAUDE_CODE_SKIP_VERTEX_AUTH',
    otherSources: 'the service account of the machine',
  },
  {
    name: 'Microsoft Foundry',
    selectedBy: 'CLAUDE_CODE_USE_FOUNDRY',
    settings: [
      {
        names: ['ANTHROPIC_FOUNDRY_BASE_URL', 'ANTHROPIC_FOUNDRY_RESOURCE'],
        without: 'every request fails',
        isRequired: () => true,
      },
    ],
    credentials: [
      ['ANTHROPIC_FOUNDRY_API_KEY'],
      ['ANTHROPIC_FOUNDRY_AUTH_TOKEN'],
      ['AZURE_TENANT_ID', 'AZURE_CLIENT_ID', 'AZURE_CLIENT_SECRET'],
      ['AZURE_TENANT_ID', 'AZURE_CLIENT_ID', 'AZURE_CLIENT_CERTIFICATE_PATH'],
      ['AZURE_TENANT_ID', 'AZURE_CLIENT_ID', 'AZURE_FEDERATED_TOKEN_FILE'],
    ],
    credentialFiles: [],
    skipAuth: 'CLAUDE_CODE_SKIP_FOUNDRY_AUTH',
    otherSources: 'Entra ID through `az login` or a managed identity',
  },
];

interface GatewayInput {
  /** The child's whole environment. */
  readonly childEnv: Host['hostEnv'];
  /** The child's home. */
  readonly home: string;
  readonly isolated: boolean;
}

/**
 * Checks that the CLI would find what its cloud provider needs. Names variables, never their values. Asks no provider.
 * @returns two items, `gateway` and `credential`; `undefined` when the environment selects no provider.
 */
export function checkGateway(input: GatewayInput): readonly CheckItem[] | undefined {
  const gateway = GATEWAYS.find(({ selectedBy }) => isOn(input.childEnv[selectedBy]));
  return gateway && [checkSettings(gateway, input), checkCredentials(gateway, input)];
}

function checkSettings({ name, selectedBy, settings }: Gateway, input: GatewayInput): CheckItem {
  const { childEnv } = input;
  const missing = settings.filter(({ names }) => !names.some((each) => isSet(childEnv[each])));
  if (missing.length === 0) {
    const found = settings.flatMap(({ names }) => names.filter((each) => isSet(childEnv[each])));
    return passed('gateway', `${selectedBy} selects ${name}, and ${found.join(' and ')} is set.`);
  }
  const lacks = missing.map(({ names, without }) => `Without ${names.join(' or ')}, ${without}.`);
  const report = missing.some(({ isRequired }) => isRequired(childEnv)) ? failed : warning;
  const wanted = missing.map(({ names }) => names.join(' or ')).join(', and ');
  return report('gateway', `${selectedBy} selects ${name}. ${lacks.join(' ')}`, setInChild(wanted, input));
}

function checkCredentials({ name, ...gateway }: Gateway, input: GatewayInput): CheckItem {
  const { childEnv, home } = input;
  if (isOn(childEnv[gateway.skipAuth])) {
    return passed('credential', `${gateway.skipAuth} is set: your gateway adds the credentials of ${name}.`);
  }
  const source = gateway.credentials.find((names) => names.every((each) => isSet(childEnv[each])));
  if (source !== undefined) {
    return passed('credential', `${source.join(' and ')} is set; whether ${name} accepts it was not asked.`);
  }
  const file = gateway.credentialFiles.map((path) => join(home, path)).find(isReadable);
  if (file !== undefined) return passed('credential', `${file} is there; whether ${name} accepts it was not asked.`);
  const choices = gateway.credentials.map((names) => names.join(' with ')).join(', ');
  return warning(
    'credential',
    `The CLI has no credential for ${name} in its environment; ${gateway.otherSources} was not looked for.`,
    setInChild(`one of these: ${choices}`, input),
  );
}

function setInChild(what: string, { isolated }: GatewayInput): string {
  const where = isolated ? 'on the host, and name it in `isolation.passEnv`' : 'in the environment of the CLI';
  return `Set ${what} ${where}.`;
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value.trim() !== '';
}

/** As the CLI reads its switches: `0` and `false` leave a provider off. */
function isOn(value: string | undefined): boolean {
  return /^(?:1|true|yes|on)$/i.test(value?.trim() ?? '');
}

export function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
