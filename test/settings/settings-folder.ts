import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { vi } from 'vitest';

/** A home and a project of their own; `CLAUDE_CONFIG_DIR` points into the home. */
export interface SettingsFolder {
  readonly home: string;
  readonly project: string;
  /** Paths of the three settings files. */
  readonly user: string;
  readonly shared: string;
  readonly local: string;
  /** Writes text and bytes as they stand, anything else as JSON. */
  write(path: string, content: unknown): void;
  remove(): void;
}

export function settingsFolder(): SettingsFolder {
  const base = mkdtempSync(join(tmpdir(), 'claudewire-test-settings-'));
  const home = join(base, 'home');
  const project = join(base, 'project');
  mkdirSync(project);
  vi.stubEnv('CLAUDE_CONFIG_DIR', home);
  return {
    home,
    project,
    user: join(home, 'settings.json'),
    shared: join(project, '.claude', 'settings.json'),
    local: join(project, '.claude', 'settings.local.json'),
    write: (path, content) => {
      mkdirSync(dirname(path), { recursive: true });
      const isRaw = typeof content === 'string' || Buffer.isBuffer(content);
      writeFileSync(path, isRaw ? content : JSON.stringify(content));
    },
    remove: () => {
      vi.unstubAllEnvs();
      rmSync(base, { recursive: true, force: true });
    },
  };
}
