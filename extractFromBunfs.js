export * from './dist/extract.js';
