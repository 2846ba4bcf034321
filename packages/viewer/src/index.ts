/** The entry point `claudewire-viewer`. */

export {};
