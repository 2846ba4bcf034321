/** The entry point `claudewire-stores`. */

export {};
