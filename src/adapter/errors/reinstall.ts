/** The cure where a part of this package cannot be loaded. It names no registry: the package is not published. */
export const REINSTALL =
  'Install claudewire again: `npm ci && npm pack` in a clone of its repository, then `npm install <clone>/claudewire-<version>.tgz`.';
