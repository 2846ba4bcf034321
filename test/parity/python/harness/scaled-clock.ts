import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';

/** Makes waits of minutes seconds: `PARITY_TIME_SCALE=60`. */
const scale = Number(process.env.PARITY_TIME_SCALE ?? '1');

export function setScaledTimers(): void {
  if (scale === 1) return;
  for (const name of ['setTimeout', 'setInterval'] as const) {
    const original = globalThis[name] as (...args: unknown[]) => unknown;
    const scaled = (call: unknown, ms: unknown = 0, ...args: unknown[]): unknown =>
      original(call, Number(ms) / scale, ...args);
    Object.defineProperties(scaled, Object.getOwnPropertyDescriptors(original));
    Reflect.set(globalThis, name, scaled);
    Reflect.set(timers, name, scaled);
  }
  const now = performance.now.bind(performance);
  performance.now = () => now() * scale;
  const [date, began] = [Date.now.bind(Date), Date.now()];
  Date.now = () => began + (date() - began) * scale;
  syncBuiltinESMExports();
}
