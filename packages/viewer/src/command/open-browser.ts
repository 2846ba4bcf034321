import { spawn } from 'node:child_process';

type Environment = Readonly<Record<string, string | undefined>>;

/** The program that opens a page; `undefined` where there is no screen to open it on. */
export function openerOf(platform: NodeJS.Platform, env: Environment): readonly [string, ...string[]] | undefined {
  if (platform === 'darwin') return ['open'];
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  const hasScreen = (env.DISPLAY ?? '') !== '' || (env.WAYLAND_DISPLAY ?? '') !== '';
  return hasScreen ? ['xdg-open'] : undefined;
}

/** Opens a file or an address. What goes wrong is no reason to fail: the address was printed. */
export function openInBrowser(target: string, env: Environment): void {
  const opener = openerOf(process.platform, env);
  if (opener === undefined) return;
  const [command, ...args] = opener;
  const child = spawn(command, [...args, target], { detached: true, stdio: 'ignore', windowsHide: true });
  child.on('error', () => {});
  child.unref();
}
