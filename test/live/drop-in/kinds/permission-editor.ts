/** An editor's plugin that shows the CLI's suggestions, and sends one of them back changed. */
import { type CanUseTool, type PermissionUpdate, query } from '@anthropic-ai/claude-agent-sdk';
import { say } from './say.js';

type Rules = Extract<PermissionUpdate, { type: 'addRules' }>;

const isRules = (update: PermissionUpdate): update is Rules => update.type === 'addRules';

function labelOf(update: PermissionUpdate): string {
  switch (update.type) {
    case 'addRules':
    case 'replaceRules':
    case 'removeRules':
      return update.rules.map(({ toolName, ruleContent }) => `${toolName}(${ruleContent ?? ''})`).join();
    case 'setMode':
      return update.mode;
    case 'addDirectories':
    case 'removeDirectories':
      return update.directories.length.toString();
  }
}

const canUseTool: CanUseTool = async (toolName, input, { suggestions = [] }) => {
  say('suggestions', [toolName, suggestions.map(labelOf)]);
  const rules: Rules = suggestions.find(isRules) ?? {
    type: 'addRules',
    rules: [{ toolName }],
    behavior: 'allow',
    destination: 'session',
  };
  rules.destination = 'session';
  rules.rules.push({ toolName: 'Read' });
  const modes = suggestions.filter((each) => each.type === 'setMode').map(({ mode }) => mode);
  say('modes', modes);
  return { behavior: 'allow', updatedInput: input, updatedPermissions: [rules] };
};

for await (const message of query({ prompt: 'Make files.', options: { permissionMode: 'default', canUseTool } })) {
  if (message.type === 'result') say('result', [message.subtype, message.permission_denials.length]);
}
