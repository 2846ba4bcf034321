import type { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

/**
 * Keeps the server of a transport from outliving this process. It gets SIGTERM as soon as `signal` aborts, where closing
 * the transport would first wait for two seconds, and SIGKILL when this process ends before it.
 */
export function guardServer(transport: StdioClientTransport, signal: AbortSignal | undefined): void {
  const start = transport.start.bind(transport);
  transport.start = () => {
    const started = start();
    // The transport forgets it as soon as it is being closed.
    const { pid, onclose } = transport;
    if (pid === null) return started;
    const onAbort = (): void => send(pid, 'SIGTERM');
    const onExit = (): void => send(pid, 'SIGKILL');
    signal?.addEventListener('abort', onAbort);
    process.once('exit', onExit);
    // After this the number may be that of another process.
    transport.onclose = () => {
      signal?.removeEventListener('abort', onAbort);
      process.off('exit', onExit);
      onclose?.();
    };
    return started;
  };
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It is gone.
  }
}
