export * from './dist/browser.js';
