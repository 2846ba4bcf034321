/** Where an administrator puts the CLI's policy: settings, servers, memory, skills. */
export function managedFolder(platform: string): string {
  if (platform === 'darwin') return '/Library/Application Support/ClaudeCode';
  if (platform === 'win32') return 'C:\\Program Files\\ClaudeCode';
  return '/etc/claude-code';
}
