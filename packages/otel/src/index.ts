/** The entry point `claudewire-otel`. */

export {};
