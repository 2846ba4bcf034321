import type { SessionStore } from 'claudewire';

/**
 * The same session store, but what is appended passes a guard.
 * @param guard - Runs an append, or returns false without having run it. @param onAppended - Is given the stored entries.
 */
export function guardedStore(
  store: SessionStore,
  guard: (append: () => Promise<void>) => Promise<boolean>,
  onAppended: (entries: unknown) => void,
): SessionStore {
  const append: SessionStore['append'] = async (...args) => {
    if (await guard(() => store.append(...args))) onAppended(args[1]);
  };
  return new Proxy(store, {
    get(target, property) {
      const value: unknown = property === 'append' ? append : Reflect.get(target, property, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
