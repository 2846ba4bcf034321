export * from './dist/bridge.js';
