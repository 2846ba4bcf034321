/** The entry point `claudewire-bullmq`. */

export {};
