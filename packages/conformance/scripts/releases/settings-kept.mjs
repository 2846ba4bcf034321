import { join } from 'node:path';
import { bash, bypass, ran } from './guards.mjs';

/*
 * Inline settings that deny a tool, beside something that only newer releases know: whether the rule is kept, or the
 * settings are dropped as a whole.
 */

const command = { type: 'command', command: 'true' };
const hook = (type, more) => ({ hooks: { PostToolUse: [{ hooks: [{ type, ...more }] }] } });
const rule = (kind, ...rules) => ({ permissions: { [kind]: rules } });

const BESIDE = {
  'settings-hooks': {
    'a hook of an unknown event': { hooks: { NoSuchEvent: [{ hooks: [command] }] } },
    'a hook of an unknown type': hook('nosuch'),
    'a hook of the type `prompt`': hook('prompt', { prompt: 'x' }),
    'a hook of the type `agent`': hook('agent', { prompt: 'x' }),
    'a hook of the type `http`': hook('http', { url: 'http://127.0.0.1:9/' }),
    'a hook of the type `mcp_tool`': hook('mcp_tool', { server: 'a', tool: 'b' }),
  },
  'settings-modes': {
    'defaultMode `dontAsk`': { permissions: { defaultMode: 'dontAsk' } },
    'defaultMode `auto`': { permissions: { defaultMode: 'auto' } },
    'defaultMode `manual`': { permissions: { defaultMode: 'manual' } },
  },
  'settings-rules': {
    'the rule `Bash(git push *)`': rule('deny', 'Bash(git push *)'),
    'the rule `Bash(git * x)`': rule('deny', 'Bash(git * x)'),
    'the rule `Bash()`': rule('deny', 'Bash()'),
    'the rule `Write(*)`': rule('deny', 'Write(*)'),
    'the rule `mcp__a__*`': rule('allow', 'mcp__a__*'),
    'the rule `mcp__a__b(x:1)`': rule('allow', 'mcp__a__b(x:1)'),
    'the rule `Ba*`': rule('allow', 'Ba*'),
    'a broken rule': rule('allow', 'Bash(', ''),
  },
  'settings-keys': {
    'an unknown key': { noSuchKey: { a: 1 } },
    'an unknown key of the sandbox': { sandbox: { noSuchKey: 1, network: { noSuchKey: 1 } } },
    'effortLevel `xhigh`': { effortLevel: 'xhigh' },
    'a marketplace of an unknown source': { extraKnownMarketplaces: { a: { source: { source: 'nosuch' } } } },
  },
  'settings-attribution': {
    'attribution `false`': { attribution: false },
    'attribution that is an object': { attribution: { commit: '' } },
  },
  'settings-marketplaces': {
    'a strict marketplace of the source `pathPattern`': {
      strictKnownMarketplaces: [{ source: 'pathPattern', pathPattern: 'x' }],
    },
    'a strict marketplace of the source `settings`': {
      strictKnownMarketplaces: [{ source: 'settings', name: 'm', plugins: [] }],
    },
    'a blocked marketplace of the source `hostPattern`': {
      blockedMarketplaces: [{ source: 'hostPattern', hostPattern: 'x' }],
    },
    'a blocked marketplace of the source `pathPattern`': {
      blockedMarketplaces: [{ source: 'pathPattern', pathPattern: 'x' }],
    },
    'a blocked marketplace of the source `settings`': {
      blockedMarketplaces: [{ source: 'settings', name: 'm', plugins: [] }],
    },
  },
  'settings-values': {
    'forceLoginMethod `gateway`': { forceLoginMethod: 'gateway' },
    'a list as forceLoginOrgUUID': { forceLoginOrgUUID: ['a', 'b'] },
    'autoUpdatesChannel `rc`': { autoUpdatesChannel: 'rc' },
    'a marketplace of the source `settings`': {
      extraKnownMarketplaces: { m: { source: { source: 'settings', name: 'm', plugins: [] } } },
    },
    'a strict marketplace of the source `hostPattern`': {
      strictKnownMarketplaces: [{ source: 'hostPattern', hostPattern: 'x' }],
    },
  },
};

function kept(cases) {
  return async (stage) => {
    const words = {};
    for (const [index, [name, beside]] of Object.entries(cases).entries()) {
      const file = join(stage.work, `trace-${index}`);
      const deny = ['Write', ...(beside.permissions?.deny ?? [])];
      const settings = { ...beside, permissions: { ...beside.permissions, deny } };
      const seen = await bypass(stage, {
        args: ['--settings', JSON.stringify(settings)],
        calls: [['Write', { file_path: file, content: 'x' }]],
        graceMs: 0,
      });
      words[`settings that deny, beside ${name}`] = ran(seen, file);
    }
    return words;
  };
}

/** Hooks in inline settings that deny a call, each by something that only newer releases read. */
async function guards(stage) {
  const script = stage.write(join(stage.work, 'guard.sh'), 'exit 2\n');
  const entry = (hook, matcher = 'Bash') => ({ PreToolUse: [{ matcher, hooks: [{ type: 'command', ...hook }] }] });
  const HOOKS = {
    'that exits with 2': entry({ command: 'exit 2' }),
    'with `args`': entry({ command: 'sh', args: [script] }),
    'with `onFailure`': entry({ command: '/nonexistent/guard', onFailure: 'block' }),
    'with the matcher `Write, Bash`': entry({ command: 'exit 2' }, 'Write, Bash'),
  };
  const words = {};
  for (const [index, [name, hooks]] of Object.entries(HOOKS).entries()) {
    const file = join(stage.work, `guarded-${index}`);
    const args = ['--settings', JSON.stringify({ hooks })];
    words[`a hook in settings ${name}`] = ran(await bypass(stage, { args, calls: [bash(`touch ${file}`)] }), file);
  }
  return words;
}

/** A hook in inline settings that allows commands of git, and the call of another one. */
async function condition(stage) {
  const file = join(stage.work, 'trace');
  const answer = { hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'allow' } };
  const hook = { type: 'command', if: 'Bash(git *)', command: `echo '${JSON.stringify(answer)}'` };
  const settings = { hooks: { PreToolUse: [{ matcher: 'Bash', hooks: [hook] }] } };
  const args = ['--permission-prompt-tool=stdio', '--permission-mode=default', '--settings', JSON.stringify(settings)];
  const seen = await stage.play({ args, calls: [bash(`touch ${file}`)] });
  return { 'a hook in settings that allows, with `if`': seen.asked.length > 0 ? 'asked' : ran(seen, file) };
}

export const SETTINGS_KEPT = {
  ...Object.fromEntries(Object.entries(BESIDE).map(([name, cases]) => [name, kept(cases)])),
  'settings-guards': guards,
  'settings-condition': condition,
};
