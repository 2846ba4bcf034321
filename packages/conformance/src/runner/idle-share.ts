import { cpus } from 'node:os';

/** How much of the machine had nothing to do since the last look. */
export class IdleShare {
  #before = times();

  /** From 0 to 1; 0 where the system does not say. */
  look(): number {
    const now = times();
    const all = now.all - this.#before.all;
    const idle = now.idle - this.#before.idle;
    this.#before = now;
    return all > 0 ? idle / all : 0;
  }
}

function times(): { readonly idle: number; readonly all: number } {
  const each = cpus().map((cpu) => cpu.times);
  const idle = each.reduce((sum, time) => sum + time.idle, 0);
  const all = each.reduce((sum, { user, nice, sys, idle: free, irq }) => sum + user + nice + sys + free + irq, 0);
  return { idle, all };
}
